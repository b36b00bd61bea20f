"""The testbed's relay, where this machine lets it be used."""

from tests.testbed.conftest import allowed, relay

__all__ = ["allowed", "relay"]
