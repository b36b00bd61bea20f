"""Controllers crossed with schedulers."""
