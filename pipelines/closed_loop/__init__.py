"""What a verdict is worth while a connection runs: outcomes of runs, and controls compared network by network."""
