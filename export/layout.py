"""How a model may be laid out in C."""

from __future__ import annotations

from typing import Literal, get_args

#: Nested conditions, or a table of packed nodes whose trees are walked in lock step.
Layout = Literal["nested", "packed"]
LAYOUTS: tuple[Layout, ...] = get_args(Layout)
