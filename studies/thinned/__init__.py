"""Connections thinned to what other tools show of them."""
