"""The sets of networks: both labels, LIA, what each set is named for."""

from __future__ import annotations

import pytest

from studies.active.networks import MOVING, SETS, WHOLE, ActiveNetworks, drawn
from studies.active.outcomes import RUN_UNDER

NETWORKS = ActiveNetworks(seed=5, counts=dict.fromkeys(SETS, 2))


def test_every_set_has_both_labels_under_lia_and_each_control_can_be_applied() -> None:
    for network in drawn(NETWORKS):
        assert network.scenario.connection.controller == "lia"
        assert network.scenario.connection.verdicts is None
        for control in RUN_UNDER.values():
            control.applied(network.scenario)
    by_set = {name: [one for one in drawn(NETWORKS) if one.set == name] for name in SETS}
    for name, networks in by_set.items():
        links = [len({path.bottleneck_at(0) for path in one.scenario.subflows}) for one in networks]
        assert links == ([2, 2] if name == "three" else [1, 1] if name == MOVING else [1, 2, 1, 2])


def test_a_set_does_not_depend_on_the_others() -> None:
    alone = list(drawn(ActiveNetworks(seed=5, counts={"twin": 2})))
    assert alone == [one for one in drawn(NETWORKS) if one.set == "twin"]


@pytest.mark.parametrize("discipline", ["red", "codel", "fq_codel", "policer"])
def test_bottlenecks_have_the_discipline_of_the_set(discipline: str) -> None:
    assert discipline in WHOLE
    for network in drawn(ActiveNetworks(seed=5, counts={discipline: 2})):
        assert {link.queue_discipline for link in network.scenario.links} == {discipline}


def test_an_unknown_set_is_refused() -> None:
    with pytest.raises(KeyError, match="nets"):
        list(drawn(ActiveNetworks(seed=5, counts={"nets": 1})))
