"""The MP-OL paper's experiments, and what they come to here."""
