"""Experiments in the simulator with the loop closed, beside those on a kernel that stand in git."""
