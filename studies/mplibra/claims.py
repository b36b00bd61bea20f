"""What the MPLibra paper says of its experiments, and whether runs show it.

Only what its prose says is here: the text that is held has lost its figures, and nothing is read off one.

References
----------
MPLibra, sections II and V: Figs. 2 to 4, 7 to 16.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import fmean

from studies.transfers.claim import NOT_RUN, Claim, Judged
from studies.transfers.repetitions import Means, NotRunError

MPLIBRA, CLASSIC, RANDOM = "mplibra", "mplibra agent classic", "mplibra agent random"
MPLIBRA_WVEGAS, RL_JOINT = "mplibra classic wvegas", "rl_joint"
LIA, OLIA, BALIA, WVEGAS, RENO = "lia", "olia", "balia", "wvegas", "reno"
MPCC, MPCC_SCALED, MPOL = "mpcc", "mpcc min_step scaled", "mpol"
BY_ORACLE, BY_VERDICT = "lia, oracle", "lia, lag_excess"
ALL = (LIA, OLIA, BALIA, WVEGAS, RENO, MPCC, MPCC_SCALED, MPOL, RL_JOINT, MPLIBRA, CLASSIC, RANDOM)
#: Where links are fast, MPCC and the agent alone are not run: they take too long to simulate.
ON_FAST_LINKS = tuple(name for name in ALL if name not in (MPCC, MPCC_SCALED, RL_JOINT))
#: What the paper takes its classic ones to be, where losses or delays are the matter.
LOSS_BASED = (LIA, OLIA, BALIA)
OF_SHARING = (LIA, RENO, BY_ORACLE, BY_VERDICT, OLIA, MPCC, RL_JOINT, MPLIBRA, CLASSIC, RANDOM)
OF_SUBFLOWS = (LIA, RENO, RL_JOINT, MPLIBRA, CLASSIC, RANDOM)

_DRAWN, _STEPS, _MOVES = "drawn", "4, 8, 4 Mbit/s", "from the second link to the first"
_BURSTS, _COUNTS = "bursts on the first link", ("2 subflows", "3 subflows", "5 subflows")
_LOSSES = ("loss 0", "loss 0.0005", "loss 0.001", "loss 0.002", "loss 0.005")
_MOST_LOSS = _LOSSES[-1]
_SHORT, _DEEP = "0.2 BDP", "2 BDP"
_PATHS = ("symmetric", "4 and 8 Mbit/s", "60 and 120 ms")
_PACKETS = ("10 packets", "30 packets", "50 packets", "70 packets", "100 packets")

#: What holds in every profile; lengths of runs follow from params.yaml.
_OURS = "weights trained here; the agent's state, its bound and training are ours where the paper is silent"
_TWO_LINKS = f"{_OURS}; goodput from 5 s on; a packet is lost by itself"
_SETTLED = f"{_OURS}; settled: means of 2 s are within 10 % of the final one for 10 s (no rule is given)"
_SCALED = f"{_OURS}; links of 10 Mbit/s in place of 100, queues of as many BDPs"
_VARYING = (
    f"{_OURS}; each link is drawn for itself; RTTs of 20 to 120 ms, added in the data direction; a queue of one BDP of "
    "the ranges' middle"
)
_TOPOLOGY = f"{_OURS}; topology from the prose"
_CLEAN_SLATE = "a reconstruction of a clean-slate agent that was simplified there too; weights trained here"
_BURSTY = f"{_OURS}; periods with and without packets are exponential, of these means"
_DELAY = f"{_OURS}; delay: the mean of medians of what segments wait in queues"
_NOT_THERE = "two TCP flows, 10 Mbit/s in all; not among the paper's"


def _told(means: Means, experiment: str, setting: str, controller: str, metric: str) -> str:
    """Return a mean with its interval, or that there is none."""
    try:
        return means.text(experiment, setting, controller, metric)
    except NotRunError:
        return NOT_RUN


def _spelt(means: Means, experiment: str, setting: str, controllers: Sequence[str], metric: str) -> str:
    """Return a mean of each controller; of one that was not run, that it was not."""
    return "; ".join(f"{one} {_told(means, experiment, setting, one, metric)}" for one in controllers)


def _listed(values: Callable[[Means, str], list[float]], means: Means, controllers: Sequence[str], digits: int) -> str:
    """Return several means of each controller; of one that was not run, that it was not."""

    def told(controller: str) -> str:
        try:
            return ", ".join(f"{value:.{digits}f}" for value in values(means, controller))
        except NotRunError:
            return NOT_RUN

    return "; ".join(f"{one} {told(one)}" for one in controllers)


def _of(
    experiment: str, setting: str, metric: str, unit: str, controllers: Sequence[str] = ALL
) -> Callable[[Means], Judged]:
    """Judge nothing: tell what each controller comes to."""

    def judge(means: Means) -> Judged:
        found = _spelt(means, experiment, setting, controllers, metric)
        if found == "; ".join(f"{one} {NOT_RUN}" for one in controllers):
            raise NotRunError(f"{experiment}: {setting}: no {metric}")
        return f"{unit}: {found}", None

    return judge


def _beyond_lia(means: Means) -> Judged:
    lia, own, mpcc = (means.mean("draws", _DRAWN, one, "goodput_mbit_s") for one in (LIA, MPLIBRA, MPCC))
    text = _spelt(means, "draws", _DRAWN, (MPLIBRA, MPCC, RL_JOINT, LIA, OLIA, BALIA, WVEGAS), "goodput_mbit_s")
    return f"Mbit/s: {text}", min(own, mpcc) >= 1.3 * lia


def _lia_is_slow(means: Means) -> Judged:
    up = means.mean("steps", _STEPS, LIA, "up_s")
    text = ", ".join(means.text("steps", _STEPS, LIA, metric) for metric in ("up_s", "down_s"))
    return f"s up, down: {text}", 15 <= up <= 45  # noqa: PLR2004 - the bar


def _mplibra_is_fast(means: Means) -> Judged:
    up = means.mean("steps", _STEPS, MPLIBRA, "up_s")
    text = "; ".join(
        f"{name}: {_spelt(means, 'steps', _STEPS, (MPLIBRA, RL_JOINT, MPCC, *LOSS_BASED, WVEGAS), metric)}"
        for name, metric in (("up", "up_s"), ("down", "down_s"))
    )
    return f"s {text}", up < 10  # noqa: PLR2004 - the bar


def _rival_share(means: Means, controller: str) -> float:
    return means.mean("friendliness", "one link", controller, "rivals_mbit_s")


def _starves(means: Means) -> Judged:
    own, lia = (_rival_share(means, one) for one in (RL_JOINT, LIA))
    text = _spelt(means, "friendliness", "one link", (RL_JOINT, LIA, RENO), "rivals_mbit_s")
    return f"Mbit/s of the TCP flow: {text}", own <= 0.75 * lia


def _rtt_falls(means: Means) -> Judged:
    back, lost = (means.mean("halving", _STEPS, MPLIBRA, metric) for metric in ("rtt_back_s", "loss_first"))
    text = means.text("halving", _STEPS, MPLIBRA, "rtt_back_s")
    return f"below after {text} s; a loss came first in {lost:.2f} of the runs", back <= 5 and lost == 0  # noqa: PLR2004


def _olia_loses_first(means: Means) -> Judged:
    lost = means.mean("halving", _STEPS, OLIA, "loss_first")
    text = means.text("halving", _STEPS, OLIA, "rtt_back_s")
    return f"OLIA: a loss came first in {lost:.2f} of the runs; below after {text} s", lost == 1


def _beyond_olia(means: Means) -> Judged:
    own, olia = (means.mean("friendliness", "one link", one, "goodput_mbit_s") for one in (MPLIBRA, OLIA))
    text = _spelt(means, "friendliness", "one link", (MPLIBRA, OLIA, CLASSIC), "goodput_mbit_s")
    return f"Mbit/s: {text}; {own / olia:.3f} of OLIA", 1.0 <= own / olia <= 1.2  # noqa: PLR2004 - the bar


def _rival_unhurt(means: Means) -> Judged:
    own, olia = (_rival_share(means, one) for one in (MPLIBRA, OLIA))
    text = _spelt(means, "friendliness", "one link", (MPLIBRA, OLIA, CLASSIC), "rivals_mbit_s")
    return f"Mbit/s of the TCP flow: {text}", abs(own / olia - 1) <= 0.1  # noqa: PLR2004 - the bar


def _classics_fall(means: Means) -> Judged:
    kept = {
        one: means.mean("loss", _MOST_LOSS, one, "goodput_mbit_s")
        / means.mean("loss", _LOSSES[0], one, "goodput_mbit_s")
        for one in LOSS_BASED
    }
    text = "; ".join(f"{one} keeps {share:.3f}" for one, share in kept.items())
    return f"at 0.5 %: {text}", all(share <= 0.2 for share in kept.values())  # noqa: PLR2004 - the bar


def _mplibra_keeps(means: Means) -> Judged:
    share = means.mean("loss", _MOST_LOSS, MPLIBRA, "link_share")
    text = _spelt(means, "loss", _MOST_LOSS, (MPLIBRA, CLASSIC, RANDOM, LIA), "link_share")
    return f"share of both links at 0.5 %: {text}", share >= 0.7  # noqa: PLR2004 - the bar


def _clean_slate_keeps(means: Means) -> Judged:
    shares = [means.mean("loss", loss, RL_JOINT, "link_share") for loss in (_LOSSES[0], _MOST_LOSS)]
    return f"share of both links at 0 and 0.5 %: {shares[0]:.3f}, {shares[1]:.3f}", min(shares) >= 0.8  # noqa: PLR2004


def _underuse(means: Means) -> Judged:
    shares = [means.mean("loss", _LOSSES[0], one, "link_share") for one in (MPCC, WVEGAS)]
    text = _spelt(means, "loss", _LOSSES[0], (MPCC, MPCC_SCALED, WVEGAS), "link_share")
    return f"share of both links without loss: {text}", max(shares) < 0.9  # noqa: PLR2004 - the bar


def _beyond_lia_in_all(means: Means) -> Judged:
    own, lia = (fmean(means.mean("loss", loss, one, "goodput_mbit_s") for loss in _LOSSES) for one in (MPLIBRA, LIA))
    return f"mean over losses: {own:.2f} and {lia:.2f} Mbit/s, {100 * (own / lia - 1):+.1f} %", None


def _short_queues(means: Means) -> Judged:
    own, deep = (means.mean("queues", queue, MPLIBRA, "goodput_mbit_s") for queue in (_SHORT, _DEEP))
    others = [means.mean("queues", _SHORT, one, "goodput_mbit_s") for one in LOSS_BASED]
    text = _spelt(means, "queues", _SHORT, (MPLIBRA, *LOSS_BASED, RL_JOINT), "goodput_mbit_s")
    return f"Mbit/s at {_SHORT}: {text}; MPLibra at {_DEEP} {deep:.2f}", own > max(others) and own >= 0.9 * deep


def _follows(means: Means) -> Judged:
    share = means.mean("varying", _DRAWN, MPLIBRA, "link_share")
    text = _spelt(means, "varying", _DRAWN, (MPLIBRA, CLASSIC, RANDOM, LIA, OLIA), "link_share")
    return f"share of both links: {text}", share >= 0.75  # noqa: PLR2004 - the bar


def _uncoupled_takes(means: Means) -> Judged:
    ratio = means.mean("friendliness", "one link", RENO, "goodput_mbit_s") / _rival_share(means, RENO)
    return f"uncoupled: {ratio:.2f} of the TCP flow", 1.7 <= ratio <= 2.2  # noqa: PLR2004 - the bar


def _clean_slate_takes(means: Means) -> Judged:
    ratio = means.mean("friendliness", "one link", RL_JOINT, "goodput_mbit_s") / _rival_share(means, RL_JOINT)
    return f"rl_joint: {ratio:.2f} of the TCP flow", ratio >= 1.7  # noqa: PLR2004 - the bar


def _wvegas_yields(means: Means) -> Judged:
    own, rival = means.mean("friendliness", "one link", WVEGAS, "goodput_mbit_s"), _rival_share(means, WVEGAS)
    return f"wVegas {own:.2f}, TCP {rival:.2f} Mbit/s", own < rival


def _mpcc_yields(means: Means) -> Judged:
    own, rival = means.mean("friendliness", "one link", MPCC, "goodput_mbit_s"), _rival_share(means, MPCC)
    lia = _rival_share(means, LIA)
    return f"MPCC {own:.2f}, TCP {rival:.2f} Mbit/s; TCP beside LIA {lia:.2f}", rival >= 0.9 * lia and own < rival


def _friendly_as_classics(means: Means) -> Judged:
    found = {one: means.mean("friendliness", "one link", one, "jain") for one in (MPLIBRA, *LOSS_BASED)}
    used = _spelt(means, "friendliness", "one link", (MPLIBRA, *LOSS_BASED), "utilisation")
    jain = _spelt(means, "friendliness", "one link", ALL, "jain")
    return f"Jain: {jain}; utilisation: {used}", found[MPLIBRA] >= min(found[one] for one in LOSS_BASED) - 0.02


def _balances(means: Means) -> Judged:
    jain, used = (means.mean("friendliness", "first link", MPLIBRA, metric) for metric in ("jain", "utilisation"))
    text = "; ".join(
        f"{name}: {_spelt(means, 'friendliness', 'first link', ALL, metric)}"
        for name, metric in (("Jain", "jain"), ("utilisation", "utilisation"))
    )
    return text, jain >= 0.93 and used >= 0.85  # noqa: PLR2004 - the bar


def _nobody_else_balances(means: Means) -> Judged:
    others = (LIA, OLIA, BALIA, WVEGAS, RENO, MPCC, RL_JOINT)
    found = {
        one: [means.mean("friendliness", "first link", one, metric) for metric in ("jain", "utilisation")]
        for one in others
    }
    both = [one for one, (jain, used) in found.items() if jain >= 0.93 and used >= 0.85]  # noqa: PLR2004 - the bar
    return f"both: {', '.join(both) or 'none'}", not both


def _wvegas_underuses(means: Means) -> Judged:
    jain, used = (means.mean("friendliness", "first link", WVEGAS, metric) for metric in ("jain", "utilisation"))
    return f"wVegas: Jain {jain:.3f}, utilisation {used:.3f}", jain >= 0.93 and used < 0.85  # noqa: PLR2004 - the bar


def _chain(means: Means) -> Judged:
    own = {
        one: means.mean("friendliness", "chain", one, "utilisation") for one in (RENO, RL_JOINT, MPLIBRA, LIA, BALIA)
    }
    text = _spelt(means, "friendliness", "chain", ALL, "utilisation")
    return f"utilisation: {text}", max(own[RENO], own[RL_JOINT]) < min(own[MPLIBRA], own[LIA], own[BALIA])


def _both_links(means: Means) -> Judged:
    found = {
        one: [means.mean("friendliness", "both links", one, metric) for metric in ("utilisation", "jain")]
        for one in (MPLIBRA, *LOSS_BASED, WVEGAS, RENO, MPCC, RL_JOINT)
    }
    text = "; ".join(
        f"{name}: {_spelt(means, 'friendliness', 'both links', ALL, metric)}"
        for name, metric in (("utilisation", "utilisation"), ("Jain", "jain"))
    )
    best = [max(own[place] for own in found.values()) for place in range(2)]
    return text, all(own >= most - 0.01 for own, most in zip(found[MPLIBRA], best, strict=True))


def _counts(means: Means, controller: str) -> list[float]:
    return [means.mean("subflows", count, controller, "jain") for count in _COUNTS]


def _spelt_counts(means: Means) -> str:
    return f"Jain with 2, 3 and 5 subflows: {_listed(_counts, means, OF_SUBFLOWS, 3)}"


def _stays_fair(means: Means) -> Judged:
    return _spelt_counts(means), min(*_counts(means, LIA), *_counts(means, MPLIBRA)) >= 0.95  # noqa: PLR2004 - the bar


def _departs(means: Means) -> Judged:
    two, three, five = _counts(means, RL_JOINT)
    return _spelt_counts(means), two > three > five


def _shifts(means: Means) -> Judged:
    found = [means.mean("moves", _MOVES, one, "shift_s") for one in (MPLIBRA, BALIA)]
    text = _spelt(means, "moves", _MOVES, ALL, "shift_s")
    return f"s: {text}", max(found) < 20  # noqa: PLR2004 - the bar


def _grabs(means: Means) -> Judged:
    own = means.mean("bursts", _BURSTS, MPLIBRA, "first_mbit_s")
    others = [means.mean("bursts", _BURSTS, one, "first_mbit_s") for one in LOSS_BASED]
    text = _spelt(means, "bursts", _BURSTS, ALL, "first_mbit_s")
    return f"Mbit/s over the first link: {text}", own > max(others)


def _fail_on_both(means: Means) -> Judged:
    shares = {one: means.mean("bursts", _BURSTS, one, "goodput_mbit_s") for one in (MPLIBRA, MPCC, WVEGAS)}
    text = _spelt(means, "bursts", _BURSTS, ALL, "goodput_mbit_s")
    return f"Mbit/s: {text}", max(shares[MPCC], shares[WVEGAS]) < shares[MPLIBRA]


def _all_end(means: Means, paths: Sequence[str], controllers: Sequence[str]) -> bool:
    """Tell whether each file was there in time: a mean over those that were would favour who is slow."""
    return all(means.is_whole("files", one, controller, "completion_s") for one in paths for controller in controllers)


def _seconds(means: Means, controllers: Sequence[str]) -> str:
    return "; ".join(f"{paths}: {_spelt(means, 'files', paths, controllers, 'completion_s')}" for paths in _PATHS)


def _downloads(means: Means) -> Judged:
    saved = [
        1 - means.mean("files", paths, MPLIBRA, "completion_s") / means.mean("files", paths, LIA, "completion_s")
        for paths in _PATHS
    ]
    text = _seconds(means, (MPLIBRA, CLASSIC, RANDOM, LIA))
    return f"{100 * fmean(saved):.1f} % less than LIA in the mean; s {text}", _all_end(
        means, _PATHS, (MPLIBRA, LIA)
    ) and 0.2 <= fmean(saved) <= 0.5  # noqa: PLR2004


def _second_on_equal_paths(means: Means) -> Judged:
    paper = (RL_JOINT, MPLIBRA, *LOSS_BASED, WVEGAS, RENO, MPCC)
    found = {one: means.mean("files", "symmetric", one, "completion_s") for one in paper}
    text = _spelt(means, "files", "symmetric", ALL, "completion_s")
    first = sorted(paper, key=found.__getitem__)[:2]
    return f"s: {text}", _all_end(means, ["symmetric"], paper) and first == [RL_JOINT, MPLIBRA]


def _no_longer_first(means: Means) -> Judged:
    paper = (RL_JOINT, MPLIBRA, *LOSS_BASED, WVEGAS, RENO, MPCC)
    found = {one: means.mean("files", "60 and 120 ms", one, "completion_s") for one in paper}
    text = _spelt(means, "files", "60 and 120 ms", ALL, "completion_s")
    return f"s: {text}", _all_end(means, ["60 and 120 ms"], paper) and min(found, key=found.__getitem__) != RL_JOINT


def _waits(means: Means, controller: str) -> list[float]:
    return [means.mean("delays", packets, controller, "queueing_ms") for packets in _PACKETS]


def _spelt_waits(means: Means, controllers: Sequence[str]) -> str:
    return f"ms with queues of 10, 30, 50, 70 and 100 packets: {_listed(_waits, means, controllers, 1)}"


def _grows(means: Means) -> Judged:
    rising = [more > less for one in LOSS_BASED for less, more in pairwise(_waits(means, one))]
    return _spelt_waits(means, LOSS_BASED), all(rising)


def _waits_less(means: Means) -> Judged:
    own, classics = fmean(_waits(means, MPLIBRA)), fmean(fmean(_waits(means, one)) for one in LOSS_BASED)
    text = _spelt_waits(means, (MPLIBRA, CLASSIC, RANDOM, RL_JOINT, MPCC))
    return f"{100 * (own / classics - 1):+.1f} % in the mean; {text}", own <= 0.75 * classics


def _wvegas_halves(means: Means) -> Judged:
    own, plain = _waits(means, MPLIBRA_WVEGAS), _waits(means, MPLIBRA)
    text = _spelt_waits(means, (MPLIBRA_WVEGAS, MPLIBRA, WVEGAS))
    return text, all(one <= other / 2 for one, other in zip(own, plain, strict=True))


CLAIMS: tuple[Claim[Means], ...] = (
    Claim(
        "Fig. 2a",
        "learning-based ones have 43.8 % more throughput than classic ones",
        "MPLibra and MPCC at least 1.3 of LIA",
        _TWO_LINKS,
        _beyond_lia,
    ),
    Claim(
        "Fig. 3",
        "LIA's second subflow takes about 30 s up, and 20 s down",
        "LIA settles 15 to 45 s after the step up",
        _SETTLED,
        _lia_is_slow,
    ),
    Claim(
        "Fig. 2b",
        "learning-based ones take 86.7 % less time to converge",
        "MPLibra settles in less than 10 s after the step up",
        _SETTLED,
        _mplibra_is_fast,
    ),
    Claim(
        "Fig. 4a",
        "clean-slate RL starves the TCP flow",
        "it has at most 0.75 of what it has beside LIA",
        _CLEAN_SLATE,
        _starves,
    ),
    Claim(
        "Fig. 7",
        "the window falls from 80 to 50 packets after the halving; no loss is needed",
        "RTTs below 1.5 of the base within 5 s, without a loss",
        f"{_OURS}; RTT: the base and the 90 % quantile of what half a second's segments wait",
        _rtt_falls,
    ),
    Claim(
        "Fig. 7",
        "OLIA sends more until a loss happens",
        "a loss comes first in every run",
        _TWO_LINKS,
        _olia_loses_first,
    ),
    Claim(
        "Fig. 8",
        "MPLibra 2.56, OLIA 2.35 Mbit/s, 8.9 % more",
        "1.0 to 1.2 of OLIA",
        _TOPOLOGY,
        _beyond_olia,
    ),
    Claim(
        "Fig. 8",
        "the TCP flow has 2.23 Mbit/s beside MPLibra, 2.22 beside OLIA",
        "within 10 % of that beside OLIA",
        _TOPOLOGY,
        _rival_unhurt,
    ),
    Claim(
        "Fig. 9a",
        "LIA, OLIA and BALIA lose around 90 % at 0.5 % loss",
        "each keeps at most 0.2",
        _TWO_LINKS,
        _classics_fall,
    ),
    Claim("Fig. 9a", "MPLibra is resilient to loss", "at least 0.7 of capacity at 0.5 %", _TWO_LINKS, _mplibra_keeps),
    Claim(
        "Fig. 9a",
        "clean-slate RL is always high",
        "at least 0.8 of capacity at 0 and 0.5 %",
        _CLEAN_SLATE,
        _clean_slate_keeps,
    ),
    Claim(
        "Fig. 9a",
        "MPCC and wVegas underuse links without loss too",
        "both below 0.9 of capacity",
        _TWO_LINKS,
        _underuse,
    ),
    Claim(
        "abstract",
        "40.5 % more throughput than LIA",
        "",
        f"{_TWO_LINKS}; over the losses of Fig. 9a",
        _beyond_lia_in_all,
    ),
    Claim(
        "Fig. 9b",
        "MPLibra is high with queues of 0.2 BDP, classic ones with deep queues alone",
        "above LIA, OLIA and BALIA at 0.2 BDP, and at least 0.9 of itself at 2",
        _SCALED,
        _short_queues,
    ),
    Claim(
        "Fig. 9b",
        "(the same at 100 Mbit/s)",
        "",
        "one run; without MPCC, which takes too long to simulate",
        _of("fast_queues", _SHORT, "link_share", "share of both links", ON_FAST_LINKS),
    ),
    Claim(
        "Fig. 9c", "MPLibra is near optimal where everything changes", "at least 0.75 of capacity", _VARYING, _follows
    ),
    Claim("Fig. 11a", "uncoupled has about twice the TCP flow", "1.7 to 2.2 of it", _TOPOLOGY, _uncoupled_takes),
    Claim(
        "Fig. 11a",
        "clean-slate RL has about twice the TCP flow",
        "at least 1.7 of it",
        _CLEAN_SLATE,
        _clean_slate_takes,
    ),
    Claim("Fig. 11a", "wVegas has less than the TCP flow", "less", _TOPOLOGY, _wvegas_yields),
    Claim(
        "Fig. 11a",
        "MPCC does no harm and has less than it should",
        "the TCP flow has at least 0.9 of what it has beside LIA, and more than MPCC",
        _TOPOLOGY,
        _mpcc_yields,
    ),
    Claim(
        "Fig. 11a",
        "MPLibra is as friendly as the classic ones",
        "Jain at most 0.02 below the least of LIA, OLIA and BALIA",
        _TOPOLOGY,
        _friendly_as_classics,
    ),
    Claim(
        "Fig. 11b",
        "MPLibra has both utilisation and fairness",
        "Jain at least 0.93, utilisation at least 0.85",
        _TOPOLOGY,
        _balances,
    ),
    Claim(
        "Fig. 11b",
        "only MPLibra has both",
        "no other has Jain at least 0.93 and utilisation at least 0.85",
        _TOPOLOGY,
        _nobody_else_balances,
    ),
    Claim(
        "Fig. 11b",
        "wVegas is rather fair and uses about 70 %",
        "Jain at least 0.93, utilisation below 0.85",
        _TOPOLOGY,
        _wvegas_underuses,
    ),
    Claim(
        "Fig. 11c",
        "uncoupled and clean-slate RL use less than MPLibra and the coupled ones",
        "both below MPLibra, LIA and BALIA",
        _TOPOLOGY,
        _chain,
    ),
    Claim(
        "Fig. 11d",
        "MPLibra is above all others in utilisation and fairness",
        "at most 0.01 below the best of each",
        _TOPOLOGY,
        _both_links,
    ),
    Claim(
        "Fig. 12", "MPLibra and LIA stay friendly with 3 and 5 subflows", "Jain at least 0.95", _TOPOLOGY, _stays_fair
    ),
    Claim(
        "Fig. 12",
        "clean-slate RL departs further with each subflow more",
        "Jain falls from 2 to 3 to 5",
        _CLEAN_SLATE,
        _departs,
    ),
    Claim(
        "Fig. 13",
        "MPLibra and BALIA shift their load within 15 s",
        "both in less than 20 s",
        f"{_TOPOLOGY}; shifted: 0.9 of the way (no rule is given)",
        _shifts,
    ),
    Claim(
        "Fig. 14",
        "the classic ones underuse the first link, MPLibra uses it",
        "more over the first link than LIA, OLIA and BALIA",
        _BURSTY,
        _grabs,
    ),
    Claim(
        "Fig. 14", "wVegas and MPCC fail on both links", "both have less than MPLibra in all", _BURSTY, _fail_on_both
    ),
    Claim(
        "Fig. 15",
        "47.7 % less time than LIA in the mean (30.0 % in the list of contributions)",
        "20 to 50 % less in the mean over the three",
        f"{_OURS}; a smaller file where params.yaml says so; a file that is not there in time has no time",
        _downloads,
    ),
    Claim(
        "Fig. 15",
        "on symmetric paths clean-slate RL is first and MPLibra second",
        "the two fastest, in this order",
        _CLEAN_SLATE,
        _second_on_equal_paths,
    ),
    Claim(
        "Fig. 15",
        "with unequal delays clean-slate RL is no longer first",
        "another is faster",
        _CLEAN_SLATE,
        _no_longer_first,
    ),
    Claim(
        "Fig. 16",
        "delay of classic ones grows with the queue",
        "LIA, OLIA and BALIA: longer with each queue",
        _DELAY,
        _grows,
    ),
    Claim(
        "Fig. 16",
        "46.7 % less queueing delay (list of contributions; than what is not said)",
        "at most 0.75 of the mean of LIA, OLIA and BALIA",
        _DELAY,
        _waits_less,
    ),
    Claim(
        "Fig. 16",
        "MPLibra with wVegas waits about half as long at most",
        "at most half with each queue",
        _DELAY,
        _wvegas_halves,
    ),
    *(
        Claim(
            "not in the paper",
            f"{bottlenecks} bottlenecks: {about}",
            "",
            _NOT_THERE,
            _of("sharing", bottlenecks, metric, unit, OF_SHARING),
        )
        for bottlenecks in ("shared", "separate", "shifting")
        for about, metric, unit in (
            ("goodput", "goodput_mbit_s", "Mbit/s"),
            ("what is left to the TCP flows", "rivals_mbit_s", "Mbit/s"),
            ("queueing delay", "queueing_ms", "ms"),
        )
    ),
)
