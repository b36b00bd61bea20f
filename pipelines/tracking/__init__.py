"""MLflow: copying runs into it, finding them again, and serving its page."""
