"""Inputs that a user labels, checked before they become a dataset or are scored."""
