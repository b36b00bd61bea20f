"""What the network wrote, as tables: parsers, quarantine, ground truth. Knows nothing of learning."""
