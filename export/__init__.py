"""A small compiler: fitted tree -> integer tree -> C, and the proof that both decide alike."""
