"""Estimators and how they are chosen, stored and judged. Reads tables, never a log or a capture."""
