"""Before any numeric library is loaded: the package sets how many threads they may use."""

from __future__ import annotations
