"""Readings of the paper's open questions."""
