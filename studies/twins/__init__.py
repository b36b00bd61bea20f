"""Recordings of the testbed beside the simulations of the same scenarios."""
