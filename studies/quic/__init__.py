"""What verdicts are worth in a sender of multipath QUIC, on the networks of the testbed."""
