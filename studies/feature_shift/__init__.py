"""Features on a real kernel beside the windows trained on."""
