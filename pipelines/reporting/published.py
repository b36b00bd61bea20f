"""Numbers of SmartSBD's tables, for comparison with ours (Dong et al., Computer Networks 2023).

The rows of Table 6 are in scenarios/unseen.py, with the scenarios made from them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True)
class PublishedSite:
    """A row of Table 2: rates of the bottlenecks, WiFi and 4G where they are two, and the run time."""

    name: str
    shared_mbit_s: int
    own_mbit_s: tuple[int, int]
    run_s: int


class PublishedAccuracy(NamedTuple):
    """A row of Table 5: the mean over both scenarios, shared, not shared."""

    both: float
    shared: float
    not_shared: float


@dataclass(frozen=True)
class PublishedModel:
    """Table 4, and what section 3.4 says of it: the space searched, the setting selected, the best mean accuracy."""

    space: str
    selected: str
    accuracy: str


@dataclass(frozen=True)
class Cost:
    """A row of Table 7: mean and largest, of the share of the CPU and of the time a window takes."""

    cpu_percent: tuple[float, float]
    time_ms: tuple[float, float]


#: Our dataset of its sites, the only one that its accuracies are compared with.
COUNTERPART = "sites"

TABLE2 = {
    "shanghai": PublishedSite("Shanghai", 8, (7, 3), 20),
    "guangzhou": PublishedSite("Guangzhou", 8, (7, 3), 20),
    "silicon_valley": PublishedSite("Silicon Valley", 8, (7, 3), 30),
    "frankfurt": PublishedSite("Frankfurt", 8, (7, 3), 30),
}
#: Mutual information of the paper's features with the label, nats (SmartSBD, Table 3).
TABLE3_NATS = {
    "RTT_SD_Ratio": 0.2638,
    "RTT_DTWD": 0.1830,
    "RTT_ED": 0.1694,
    "RTT_CState_DTWD": 0.1503,
    "CState_ED": 0.1325,
    "Min_RTT_Ratio": 0.1320,
    "RTT_CState_ED": 0.1281,
    "CState_SD_Ratio": 0.1164,
    "CState_DTWD": 0.1018,
    "CState_Thpt_ED": 0.0922,
    "Thpt_SD_Ratio": 0.0901,
    "CState_Thpt_DTWD": 0.0852,
    "RTT_CState_Thpt_DTWD": 0.0616,
    "RTT_CState_Thpt_ED": 0.0587,
    "RTT_Thpt_ED": 0.0476,
    "RTT_Thpt_DTWD": 0.0078,
    "Thpt_DTWD": 0.0049,
    "Thpt_ED": 0.0,
}
#: Samples of each label and site (Table 2), and the share that validation drops, about (section 3.1).
SAMPLES_PER_LABEL = 500
DROPPED = "~30 %"

_DEPTHS = "depth 1 to 15"
_TICKS = "C: ticks of Fig. 6(d)"
TABLE4 = {
    "tree": PublishedModel(_DEPTHS, "", "close to 0.90"),
    "forest": PublishedModel(_DEPTHS, "", "close to 0.90"),
    "svm_linear": PublishedModel(_TICKS, "", "around 0.80"),
    "svm_rbf": PublishedModel(f"{_TICKS}; gamma: 0.01 to 1", "C 100, gamma 0.1", "about 0.92"),
    "logistic": PublishedModel(f"{_TICKS}; liblinear, lbfgs", "", "around 0.80"),
}
#: Features it decides for, of nine (section 3.4).
TOP = 8

TABLE5 = {
    "shanghai": {
        "DT": PublishedAccuracy(0.974, 0.957, 0.992),
        "RF": PublishedAccuracy(0.981, 0.966, 0.996),
        "SVM": PublishedAccuracy(0.977, 0.976, 0.979),
        "AUTO": PublishedAccuracy(0.990, 0.984, 0.996),
        "SBD": PublishedAccuracy(0.615, 0.728, 0.502),
        "DWC": PublishedAccuracy(0.595, 0.310, 0.880),
        "TON20": PublishedAccuracy(0.376, 0.267, 0.485),
    },
    "guangzhou": {
        "DT": PublishedAccuracy(0.955, 0.939, 0.971),
        "RF": PublishedAccuracy(0.957, 0.930, 0.985),
        "SVM": PublishedAccuracy(0.966, 0.956, 0.975),
        "AUTO": PublishedAccuracy(0.968, 0.960, 0.976),
        "SBD": PublishedAccuracy(0.732, 0.750, 0.714),
        "DWC": PublishedAccuracy(0.625, 0.480, 0.770),
        "TON20": PublishedAccuracy(0.454, 0.461, 0.447),
    },
    "silicon_valley": {
        "DT": PublishedAccuracy(0.807, 0.794, 0.819),
        "RF": PublishedAccuracy(0.854, 0.866, 0.842),
        "SVM": PublishedAccuracy(0.907, 0.884, 0.930),
        "AUTO": PublishedAccuracy(0.933, 0.930, 0.935),
        "SBD": PublishedAccuracy(0.635, 0.820, 0.450),
        "DWC": PublishedAccuracy(0.535, 0.160, 0.910),
        "TON20": PublishedAccuracy(0.473, 0.154, 0.793),
    },
    "frankfurt": {
        "DT": PublishedAccuracy(0.848, 0.809, 0.887),
        "RF": PublishedAccuracy(0.884, 0.864, 0.904),
        "SVM": PublishedAccuracy(0.900, 0.850, 0.950),
        "AUTO": PublishedAccuracy(0.937, 0.907, 0.967),
        "SBD": PublishedAccuracy(0.613, 0.716, 0.510),
        "DWC": PublishedAccuracy(0.490, 0.120, 0.860),
        "TON20": PublishedAccuracy(0.503, 0.183, 0.823),
    },
    "all": {
        "DT": PublishedAccuracy(0.896, 0.875, 0.917),
        "RF": PublishedAccuracy(0.919, 0.907, 0.932),
        "SVM": PublishedAccuracy(0.937, 0.916, 0.959),
        "AUTO": PublishedAccuracy(0.957, 0.945, 0.969),
        "SBD": PublishedAccuracy(0.649, 0.754, 0.544),
        "DWC": PublishedAccuracy(0.561, 0.268, 0.855),
        "TON20": PublishedAccuracy(0.452, 0.266, 0.637),
    },
}
#: Our model or detector, and its features or parameters, by the scheme of Table 5.
SCHEMES = {
    "DT": ("tree", "paper"),
    "RF": ("forest", "paper"),
    "SVM": ("svm_rbf", "paper"),
    "AUTO": ("auto-sklearn", "paper"),
    "SBD": ("mptcp-sbd", "default"),
    "DWC": ("dwc-r", "default"),
    "TON20": ("ton20-r", "default"),
}
#: Schemes of the literature, and those of them that Table 5 judges by the share of time they are right.
DETECTORS = ("SBD", "DWC", "TON20")
TIMED = ("DWC", "TON20")

#: Mean over Table 6's ten cases: of section 5.2, and of the abstract.
UNSEEN_MEAN = 0.858
UNSEEN_MEAN_OF_ABSTRACT = 0.861

#: Time to a decision after a change, about, s (section 5.3.3).
DECISION_S = {"shanghai": 3, "guangzhou": 4, "silicon_valley": 11, "frankfurt": 16}

TABLE7 = {
    "features": Cost((0.023, 0.03), (2.23, 4.41)),
    "tree": Cost((0.032, 0.04), (4.47, 6.26)),
    "forest": Cost((0.035, 0.05), (4.70, 7.36)),
}
