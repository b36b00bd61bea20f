"""A small compiler: from fitted models to integer trees, and to C with their features. All must decide alike."""
