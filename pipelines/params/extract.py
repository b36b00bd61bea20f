"""Where windows lie, and how the paper is read."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from smartsbd.features.reading import Reading
from smartsbd.pipelines.params.block import Block


class Extract(Block):
    """Windows and features."""

    rules: list[Literal["triggered", "tiled"]] = Field(min_length=1)
    reading: Reading
