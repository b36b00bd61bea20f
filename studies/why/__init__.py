"""Connections whose main limit is set, and whether `sbd why` names it."""
