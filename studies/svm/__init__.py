"""Whether an SVM can decide in a kernel: in integers, with few vectors, as exact as trees."""
