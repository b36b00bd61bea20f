"""A small compiler: fitted model, integer trees, C with the features they take; and the proof that all decide alike."""
