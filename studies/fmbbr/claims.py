"""What the FMBBR paper says of its experiments, and whether runs show it.

Only what its prose says is here: the text that is held has lost its figures, and nothing is read off one.

References
----------
FMBBR, sections III and IV.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from studies.transfers.claim import Claim, Judged
from studies.transfers.repetitions import Means

BBR, COUPLED, COUPLED_ORACLE, CMPBBR = "bbr", "coupled_bbr", "coupled_bbr, oracle", "cmpbbr"
FMBBR, TOGETHER, WHOLE = "fmbbr, paths", "fmbbr start together, paths", "fmbbr irps, paths"
ROUTERS, APART = "fmbbr irps, paths by routers", "fmbbr irps, fixed groups apart"
BY_VERDICT, BY_VERDICT_APART = "fmbbr irps, lag_excess", "fmbbr irps, lag_excess before apart"
LIA, BALIA = "lia", "balia"

_DRAWS, _LIMITED, _BULK = "draws", "limited rival", "bulk rival"
_EQUAL = "60 and 60 ms"
_SHARING = ("probed_second", "probed_third")
_PROBED = ("probed_first", *_SHARING)

_NETWORK = (
    "networks drawn from Table II; queues of a round trip of the path; the rival's RTT of 34 ms and how long a run is "
    "are not given; the shared link's loss is on the subflows' last links, and hits ACKs too"
)
_BULK_RIVAL = f"{_NETWORK}; the flow of 5 Mbit/s made bulk, which the paper did not measure"
_ONE_LINK = "two subflows over one link of 20 Mbit/s, without a rival; not among the paper's"


def _each(means: Means, setting: str, controller: str, metrics: Sequence[str]) -> list[float]:
    return [means.mean(_DRAWS, setting, controller, metric) for metric in metrics]


def _spelt(means: Means, setting: str, controllers: Sequence[str], metric: str) -> str:
    return "; ".join(f"{one} {means.text(_DRAWS, setting, one, metric)}" for one in controllers)


def _fmbbr_probes(means: Means) -> Judged:
    found = _each(means, _LIMITED, FMBBR, _PROBED)
    text = ", ".join(f"{share:.2f}" for share in found)
    return f"FMBBR: {text} of what each could have alone", min(found) >= 0.85  # noqa: PLR2004 - the bar


def _bbr_probes(means: Means) -> Judged:
    found = _each(means, _LIMITED, BBR, _PROBED)
    text = ", ".join(f"{share:.2f}" for share in found)
    return f"BBR: {text} of what each could have alone", max(found[1:]) <= 0.65  # noqa: PLR2004 - the bar


def _one_link(controllers: Sequence[str], *, high: bool) -> Callable[[Means], Judged]:
    def judge(means: Means) -> Judged:
        found = {
            one: [means.mean("one_link", _EQUAL, one, metric) for metric in ("probed_first", "probed_second")]
            for one in controllers
        }
        text = "; ".join(f"{one} {own[0]:.2f}, {own[1]:.2f}" for one, own in found.items())
        shares = [share for own in found.values() for share in own]
        return text, min(shares) >= 0.85 if high else max(shares) <= 0.65  # noqa: PLR2004 - the bars

    return judge


def _rival_first(means: Means) -> Judged:
    own, bbr = (means.mean(_DRAWS, _LIMITED, one, "rival_first_mbit_s") for one in (FMBBR, BBR))
    text = _spelt(means, _LIMITED, (FMBBR, BBR), "rival_first_mbit_s")
    return f"Mbit/s of the rival in the first 10 s: {text}; ratio {own / bbr:.3f}", own >= 1.15 * bbr


def _drop(means: Means) -> Judged:
    own, together = (means.mean(_DRAWS, _LIMITED, one, "rival_least_mbit_s") for one in (FMBBR, TOGETHER))
    text = _spelt(means, _LIMITED, (FMBBR, TOGETHER, BBR), "rival_least_mbit_s")
    return f"Mbit/s of the rival, least of half a second: {text}", own > together


def _throughput(means: Means) -> Judged:
    own, *others = (means.mean(_DRAWS, _LIMITED, one, "goodput_mbit_s") for one in (WHOLE, LIA, BALIA))
    text = _spelt(means, _LIMITED, (WHOLE, LIA, BALIA), "goodput_mbit_s")
    return f"Mbit/s: {text}", all(own > 1.2 * other for other in others)


def _ahead(means: Means) -> Judged:
    at = {
        metric: [means.mean(_DRAWS, _LIMITED, one, metric) for one in (WHOLE, LIA, BALIA)]
        for metric in ("after_2s_mb", "after_4s_mb")
    }
    text = "; ".join(
        f"after {seconds} s {own[0]:.1f}, {own[1]:.1f}, {own[2]:.1f}"
        for seconds, own in zip((2, 4), at.values(), strict=True)
    )
    own, *others = at["after_4s_mb"]
    return f"MB of FMBBR with IRPS, LIA, BALIA: {text}", own > max(others)


def _routers(means: Means) -> Judged:
    own, links = (means.mean(_DRAWS, _LIMITED, one, "goodput_mbit_s") for one in (ROUTERS, WHOLE))
    text = _spelt(means, _LIMITED, (ROUTERS, WHOLE), "goodput_mbit_s")
    return f"Mbit/s: {text}; {own / links:.2f} of that with groups from links", None


def _irps(means: Means) -> Judged:
    delays = _spelt(means, _LIMITED, (WHOLE, FMBBR), "order_delay_ms")
    early = _spelt(means, _LIMITED, (WHOLE, FMBBR), "after_2s_mb")
    return f"ms that a segment waits for those before it: {delays}; MB after 2 s: {early}", None


def _of(controllers: Sequence[str], setting: str, metric: str, unit: str) -> Callable[[Means], Judged]:
    def judge(means: Means) -> Judged:
        return f"{unit}: {_spelt(means, setting, controllers, metric)}", None

    return judge


def _by_verdict(metric: str, unit: str, setting: str) -> Callable[[Means], Judged]:
    """Beside the links that are known: groups from verdicts, and groups that are wrong."""
    return _of((WHOLE, BY_VERDICT, BY_VERDICT_APART, APART, ROUTERS), setting, metric, unit)


CLAIMS: tuple[Claim[Means], ...] = (
    Claim(
        "Fig. 2",
        "FMBBR: all subflows find high bandwidths",
        "each at least 0.85 of what it could have alone",
        _NETWORK,
        _fmbbr_probes,
    ),
    Claim(
        "Fig. 2",
        "BBR: only subflow 1 does, 2 and 3 find a small amount",
        "2 and 3 at most 0.65",
        _NETWORK,
        _bbr_probes,
    ),
    Claim("Fig. 2", "(one after the other)", "each at least 0.85", _ONE_LINK, _one_link([FMBBR], high=True)),
    Claim("Fig. 2", "(at once)", "each at most 0.65", _ONE_LINK, _one_link([BBR, TOGETHER], high=False)),
    Claim(
        "Fig. 3",
        "BBR takes bandwidth of the TCP flow, which keeps a high one under FMBBR",
        "its mean over the first 10 s at least 1.15 of that under BBR",
        _NETWORK,
        _rival_first,
    ),
    Claim(
        "Fig. 4",
        "without steps its rate drops sharply",
        "its least half second is higher with steps",
        _NETWORK,
        _drop,
    ),
    Claim("Fig. 5a", "FMBBR with IRPS is above BALIA and LIA", "above 1.2 of both", _NETWORK, _throughput),
    Claim("Fig. 5b", "comparable from 0 to 2 s, then ahead of both", "ahead of both after 4 s", _NETWORK, _ahead),
    Claim("section III.B", "subflows that pass one router share (no numbers)", "", _NETWORK, _routers),
    Claim("section III.D", "(what IRPS adds is not measured)", "", _NETWORK, _irps),
    Claim(
        "not in the paper",
        "goodput of what else couples BBR",
        "",
        _NETWORK,
        _of((BBR, COUPLED, COUPLED_ORACLE, CMPBBR, FMBBR), _LIMITED, "goodput_mbit_s", "Mbit/s"),
    ),
    Claim(
        "not in the paper",
        "fairness after the start",
        "",
        _BULK_RIVAL,
        _of((BBR, COUPLED, COUPLED_ORACLE, CMPBBR, WHOLE, LIA, BALIA), _BULK, "jain", "Jain"),
    ),
    Claim(
        "not in the paper",
        "groups from verdicts of the sender: goodput",
        "",
        _NETWORK,
        _by_verdict("goodput_mbit_s", "Mbit/s", _LIMITED),
    ),
    Claim(
        "not in the paper",
        "groups from verdicts of the sender: the rival's first 10 s",
        "",
        _NETWORK,
        _by_verdict("rival_first_mbit_s", "Mbit/s", _LIMITED),
    ),
    Claim(
        "not in the paper",
        "groups from verdicts of the sender: fairness",
        "",
        _BULK_RIVAL,
        _by_verdict("jain", "Jain", _BULK),
    ),
    Claim(
        "not in the paper",
        "groups from verdicts of the sender: share of the time that they are right",
        "",
        _NETWORK,
        _of((BY_VERDICT, BY_VERDICT_APART), _LIMITED, "right_share", "share"),
    ),
)
