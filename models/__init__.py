"""Estimators and how they are chosen, stored and judged. Reads feature tables, never traces."""
