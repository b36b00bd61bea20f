import numpy as np
import numpy.typing as npt

_Int64s = npt.NDArray[np.int64]
_Float64s = npt.NDArray[np.float64]
_Bools = npt.NDArray[np.bool_]

def features(
    rtt_a_us: _Int64s,
    rtt_b_us: _Int64s,
    congested_a: _Bools,
    congested_b: _Bools,
    acked_a_bytes: _Int64s,
    acked_b_bytes: _Int64s,
    rate_a_mbit_s: _Float64s,
    rate_b_mbit_s: _Float64s,
    min_rtt_a_us: int,
    min_rtt_b_us: int,
    rtt_steps: int,
) -> dict[str, float] | None: ...
def interpolated(time_ns: _Int64s, values: _Int64s, at_ns: _Int64s) -> _Int64s: ...
def rates(time_ns: _Int64s, acked_bytes: _Int64s) -> tuple[_Int64s, _Float64s]: ...
def smoothed(values: _Float64s, weight: float) -> _Float64s: ...
