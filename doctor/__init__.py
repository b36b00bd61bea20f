"""A guided test of two paths of one's own: each loaded alone, then both, and three witnesses of a shared bottleneck."""
