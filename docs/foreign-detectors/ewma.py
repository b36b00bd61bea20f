"""Two subflows share where their delays move together: a moving correlation. Event lines in, verdict lines out."""

import re
import sys

LINE = re.compile(r"smartsbd: (\d+) C=([0-9a-f]+) SF=(\d+) V=RTT (\d+)$")
KEPT, FIRST = 1 / 512, 1000  # weight of a sample; samples before the first verdict

order, delay, mean = [], [0.0, 0.0], [0.0, 0.0]  # the first two subflows that have a sample
var, both, samples, said = [0.0, 0.0], 0.0, 0, -1
for line in sys.stdin:
    match = LINE.match(line)
    if not match:
        continue
    if match[3] not in order and len(order) < 2:
        order.append(match[3])
    if match[3] not in order:
        continue
    delay[order.index(match[3])] = float(match[4])
    if len(order) < 2:
        continue
    mean = delay[:] if samples == 0 else [m + KEPT * (d - m) for m, d in zip(mean, delay, strict=True)]
    x, y = delay[0] - mean[0], delay[1] - mean[1]
    var = [v + KEPT * (own * own - v) for v, own in zip(var, (x, y), strict=True)]
    both, samples = both + KEPT * (x * y - both), samples + 1
    high = both > 0 and both * both > 0.25 * var[0] * var[1]  # a correlation above a half
    if samples >= FIRST and int(high) != said:
        said, pair = int(high), ",".join(sorted(order, key=int))
        print(f"smartsbd: {match[1]} C={match[2]} SF={pair} V=SHARED {said}")
