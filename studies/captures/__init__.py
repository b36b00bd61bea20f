"""What captures tell of a sender."""
