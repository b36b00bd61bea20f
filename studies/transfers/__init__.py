"""Transfers by the simulator's truth: what a run came to, what repeated runs came to, what papers say of them."""
