"""What is learnt from: labelled windows, taken from tables, split by connection into trials."""
