"""The header of the lag excess, and the name of its card: the kernel's programs and the simulator's loop include it."""

from __future__ import annotations

from pathlib import Path

HEADER, CARD = "sbd_lag_excess.h", "sbd_lag_excess.md"
SOURCE = Path(__file__).parent / "baselines" / HEADER
