"""Fitted models: on disk, by name, and ready to judge."""
