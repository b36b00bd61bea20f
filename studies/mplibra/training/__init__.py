"""Training of the agents of learnt controllers, outside the stages: it takes long, and its result is kept in git."""
