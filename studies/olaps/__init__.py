"""The OLAPS paper's experiments, and what they come to here."""
