"""Which model and which of its settings: ranked features, a grid, trials, and what learning more would give."""
