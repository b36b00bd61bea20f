"""Recorded signals as tables: parsers, quarantine, ground truth. Knows nothing of learning."""
