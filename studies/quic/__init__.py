"""What verdicts are worth in a kernel, on the networks of the testbed."""
