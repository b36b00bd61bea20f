"""Detectors and models by their last verdict on each pair: learnt, compared, controlled."""
