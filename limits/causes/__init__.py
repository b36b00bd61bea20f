"""What may limit a subflow for a second; each cause is a file here, and a line in :mod:`smartsbd.limits.table`."""
