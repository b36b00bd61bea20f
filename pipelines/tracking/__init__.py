"""MLflow: what is mirrored there, found again and served."""
