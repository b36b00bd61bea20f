"""Benchmark tasks: what is learnt from, what is judged, connections by name, the metric, and folders to give away."""
