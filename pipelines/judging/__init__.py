"""Judge inputs outside the pipeline: by a stored model, a baseline detector or an exported model."""
