"""The active check of "shared", beside what only watches."""
