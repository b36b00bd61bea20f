"""What every part of a scenario is: a value without unknown keys."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, SerializerFunctionWrapHandler, model_serializer


class Part(BaseModel):
    """A part of a scenario. A key whose default is None is left out where it is None: the simulator knows no null."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_serializer(mode="wrap")
    def _without_what_is_left_out(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        fields = type(self).model_fields
        left_out = {key for key, field in fields.items() if field.default is None and getattr(self, key) is None}
        written: dict[str, Any] = handler(self)
        return {key: value for key, value in written.items() if key not in left_out}
