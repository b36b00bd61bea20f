"""What the network wrote, as tables: parsers, the tables' contracts, ground truth. Knows nothing of learning."""
