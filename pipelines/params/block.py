"""What every part of params.yaml is: keys that are known, values that are checked, nothing that changes."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from smartsbd.contracts.fault import UsageFault


class ParamsError(UsageFault):
    """params.yaml or an overlay cannot be used: names the file and the key."""


class Block(BaseModel):
    """A part of params.yaml."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)
