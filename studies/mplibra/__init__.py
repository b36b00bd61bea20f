"""The MPLibra paper's experiments, and what they come to here; its agents and how they are trained."""
