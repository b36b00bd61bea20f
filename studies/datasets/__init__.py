"""Datasets beyond those of the main road, from their inputs to last verdicts."""
