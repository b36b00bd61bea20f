"""The small project of tests/pipelines, for what a browser shows of it."""

from tests.pipelines.conftest import searched as searched  # noqa: PLC0414 - a fixture by this name
