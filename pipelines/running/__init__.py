"""How stages run: their programs, their order, their times, and other profiles."""
