"""MPLibra and agents alone: the trainer's network, stages that follow each other, and the classic part by itself."""

import itertools
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import pytest

from smartsbd.scenarios.scenario import Scenario as WholeScenario
from studies.mplibra.agents import agent_file
from studies.mplibra.agents.ddpg import answer
from studies.mplibra.agents.perceptron import draw_perceptron
from studies.mplibra.training.conversation import Conversation
from tests.simulator.program import (
    MSS,
    PACKET,
    PROGRAM,
    WEIGHTS,
    Run,
    Scenario,
    access,
    execute,
    flow,
    link,
    network,
    seeds,
    simulate,
    simulate_all,
    subflow,
)

pytestmark = pytest.mark.slow

RATE, RTT_MS = 5.0, 120.0
QUEUE = int(RATE * 1e6 / 8 * RTT_MS / 1e3)
DURATION_S = 40.0
STAGES = ["explore", "evaluate", "collect"]


def two_links(controller: Any, loss: float = 0.0, **connection: Any) -> Scenario:
    """Two subflows over a link each, with a queue of a round trip."""
    own = [subflow([number], RTT_MS, rate=1000.0, loss=loss) for number in range(2)]
    scenario = network(
        [link(RATE, QUEUE)] * 2,
        own,
        duration=DURATION_S,
        congestion_control=controller,
        host_delay_us=2300.0,
        **connection,
    )
    del scenario["connection"]["lia_counts"]
    return scenario


def mplibra(agent: str, **parameters: Any) -> dict[str, Any]:
    return {"name": "mplibra", "agent": agent, **parameters}


def goodput(run: Run) -> float:
    """Mbit/s of the connection."""
    delivered: int = run.truth["connection"]["delivered_bytes"]
    return delivered * 8e-6 / DURATION_S


def modes(run: Run) -> list[list[str]]:
    """Modes of each subflow's controller, in order."""
    return [[one["mode"] for one in own["modes"]] for own in run.truth["subflows"]]


def evaluations(run: Run) -> Iterator[int]:
    """How many phases of evaluation each cycle had that came to a choice."""
    for own in modes(run):
        phases = 0
        for mode in own:
            if mode == "evaluate":
                phases += 1
            elif mode != "collect":
                if phases and mode in {"keep", "classic", "agent"}:
                    yield phases
                phases = 0


@pytest.mark.parametrize("name", ["mplibra", "rl_joint"])
def test_the_network_of_the_simulator_is_that_of_the_trainer(name: str) -> None:
    """On 100,000 states, of which none is met in training, within 1e-12."""
    path = WEIGHTS / f"{name}.agent"
    actor, card = agent_file.read(path)
    assert card["name"] == name
    rows, rng = 100_000, np.random.default_rng(1)
    for states in np.array_split(rng.uniform(0, 10, (rows, actor.sizes[0])), 20):
        text = "".join(" ".join(map(repr, row)) + "\n" for row in states.tolist())
        shown = subprocess.run(
            [PROGRAM, f"--agent={path}", "--answer"], input=text, capture_output=True, text=True, check=True
        )
        told = np.array(shown.stdout.split(), float)
        assert len(told) == len(states)
        assert np.abs(told - answer(actor, states)).max() <= 1e-12


def test_an_agent_that_says_what_is_classic_is_olia_but_for_pacing(tmp_path: Path) -> None:
    """Goodput over links of their own, with and without losses; nothing is ever evaluated."""
    for loss in (0.0, 0.002):
        runs = simulate_all(tmp_path / f"own {loss}", seeds(two_links(mplibra("classic"), loss), 4))
        olia = simulate_all(tmp_path / f"olia {loss}", seeds(two_links("olia", loss), 4))
        assert mean(map(goodput, runs)) == pytest.approx(mean(map(goodput, olia)), rel=0.05)
        assert {mode for run in runs for own in modes(run) for mode in own} == {"start", "explore"}


def test_stages_follow_each_other(tmp_path: Path) -> None:
    """After an evaluation its results are waited for, and one of three rates is exploited; then it explores."""
    run = simulate(tmp_path, two_links(mplibra("random"), 0.002))
    chosen = set()
    for own in modes(run):
        for before, after in itertools.pairwise(own):
            if after == "start":  # after a timeout
                continue
            due = {"start": {"explore", "evaluate"}, "explore": {"evaluate"}, "evaluate": {"collect"}}
            assert after in due.get(before, {"keep", "classic", "agent"} if before == "collect" else {"explore"})
        chosen |= {*own}
    assert chosen >= {*STAGES, "keep", "classic", "agent"}


def test_a_choice_is_exploited_as_long_as_is_asked(tmp_path: Path) -> None:
    """From the choice to the next exploration: so many round trips of 120 ms and more, until the next ACK."""
    for rtts in (0, 1, 3):
        folder = tmp_path / str(rtts)
        folder.mkdir()
        run = simulate(folder, two_links(mplibra("random", exploit_rtts=rtts)))
        spans = []
        for own in run.truth["subflows"]:
            for one, after in itertools.pairwise(own["modes"]):
                if one["mode"] in {"keep", "classic", "agent"} and after["mode"] == "explore":
                    spans.append((after["from_ns"] - one["from_ns"]) / 1e9)
        assert len(spans) > 20
        assert min(spans) >= rtts * RTT_MS / 1e3
        assert sorted(spans)[len(spans) // 2] < rtts * 2 * RTT_MS / 1e3 + 0.1


def test_an_exploration_has_no_segment_for_nothing(tmp_path: Path) -> None:
    """An agent that always wants 0.7 of the rate has all cycles evaluated, and the classic part grows as OLIA does.

    On two equal paths that is a quarter of a segment in each round trip of exploration, and each cycle has one.
    """
    wants_less = draw_perceptron([50, 4, 1], np.random.default_rng(1), 0.0)
    wants_less.biases[-1][:] = np.arctanh(-0.5)
    agent_file.write(wants_less, tmp_path / "an.agent", {})
    scenario = two_links(mplibra("learnt"))
    scenario["links"] = [link(2 * RATE, 30_000)] * 2
    scenario["duration_s"] = 20.0
    done = execute(tmp_path, json.dumps(scenario), f"--agent={tmp_path / 'an.agent'}")
    assert done.returncode == 0
    run = Run((tmp_path / "events").read_bytes(), (tmp_path / "truth.json").read_bytes())
    own = [one["from_ns"] for one in run.truth["subflows"][0]["modes"] if one["mode"] == "explore"]
    begin_s, cycles = own[3] / 1e9, 24
    end_s = own[3 + cycles] / 1e9
    cycle_s = (end_s - begin_s) / cycles
    before, after = (run.acked(0, at_s, at_s + 2) / 2 * RTT_MS / 1e3 / MSS for at_s in (begin_s, end_s))
    assert before > 20
    assert cycle_s < 5 * RTT_MS / 1e3
    assert after - before < 0.5 * cycles


def test_what_cannot_be_sent_is_tried_twice(tmp_path: Path) -> None:
    """Behind a queue of seconds the receive window has less room than a rate asks for: that interval is void."""
    scenario = two_links(mplibra("random"))
    scenario["links"], scenario["duration_s"] = [link(8.0, 2_000_000)] * 2, 15.0
    tried = [*evaluations(simulate(tmp_path, scenario))]
    assert min(tried) == 1
    # Each of two candidates once more at most.
    assert 2 <= max(tried) <= 3


def test_chance_follows_from_the_seed(tmp_path: Path) -> None:
    first, again, other = simulate_all(
        tmp_path,
        [two_links(mplibra("random")), two_links(mplibra("random")), two_links(mplibra("random")) | {"seed": 5}],
    )
    assert first == again
    assert first.events != other.events


def test_the_learnt_agent_beats_olia_where_packets_are_lost_at_random(tmp_path: Path) -> None:
    loss = 0.005
    ours, olia = (
        simulate_all(tmp_path / str(number), seeds(two_links(controller, loss), 3))
        for number, controller in enumerate((mplibra("learnt"), "olia"))
    )
    assert mean(map(goodput, ours)) > 2 * mean(map(goodput, olia))


def test_an_agent_alone_moves_its_rate_by_what_it_answers() -> None:
    """Down to two segments in a round trip, up to twice what arrives."""
    scenario = two_links({"name": "rl_joint", "sees": "subflow"})
    scenario["subflows"], scenario["links"], scenario["duration_s"] = (
        scenario["subflows"][:1],
        scenario["links"][:1],
        20.0,
    )
    for exponent in (-5.0, 5.0):
        with Conversation(WholeScenario.model_validate(scenario)) as talk:
            told = []
            while (question := talk.question()) is not None:
                assert question.subflow == 0
                assert len(question.state) == 50
                talk.answer(exponent)
                told.append(question)
        rates = [one.delivery_mbit_s for one in told[-10:]]
        if exponent < 0:
            least = 2 * MSS * 8 / (RTT_MS / 1e3) / 1e6
            # A round trip lasts until the next ACK, which is delayed where little is sent.
            assert 0.6 * least < mean(rates) < 1.1 * least
            assert told[-1].loss == 0
        else:
            assert max(one.delivery_mbit_s for one in told) == pytest.approx(RATE * MSS / PACKET, rel=0.01)
            assert mean(one.loss for one in told[-10:]) > 0.2


def test_an_agent_of_a_connection_sees_its_own_subflow_first() -> None:
    scenario = two_links({"name": "rl_joint"})
    scenario["subflows"][1]["rtt_ms"] = 40.0
    scenario["duration_s"] = 10.0
    last: dict[int, Any] = {}
    with Conversation(WholeScenario.model_validate(scenario)) as talk:
        while (question := talk.question()) is not None:
            talk.answer(0.0)
            last[question.subflow] = question
    for number, other in ((0, 1), (1, 0)):
        own, rest = last[number].state[:50], last[number].state[100:]
        assert len(last[number].state) == 250
        assert not rest.any()
        # Of the other one, all but what came since.
        assert np.intersect1d(last[number].state[50:100], last[other].state[:50]).size > 10
        assert own.any()


def option_error(scenario: Scenario, folder: Path, *options: str) -> str:
    folder.mkdir(exist_ok=True)
    done = execute(folder, json.dumps(scenario), *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert not (folder / "truth.json").exists()
    return done.stderr


def test_an_agent_must_be_told_if_and_only_if_it_is_needed(tmp_path: Path) -> None:
    agent = f"--agent={WEIGHTS / 'mplibra.agent'}"
    assert "--agent=FILE is missing" in option_error(two_links(mplibra("learnt")), tmp_path)
    assert "no controller of the scenario takes it" in option_error(two_links(mplibra("random")), tmp_path, agent)
    assert "no controller of the scenario takes it" in option_error(two_links("olia"), tmp_path, agent)
    assert "takes 50 numbers" in option_error(two_links("rl_joint"), tmp_path, agent)


def test_a_further_connection_may_be_the_one_that_needs_it(tmp_path: Path) -> None:
    scenario = two_links("olia")
    scenario["duration_s"] = 5.0
    further = {
        "congestion_control": mplibra("learnt"),
        "scheduler": "min_rtt",
        "subflows": [{"links": [0], "start_s": 0.5, "rtt_ms": RTT_MS, "access": access()}],
    }
    scenario["further_connections"] = [further]
    assert "--agent=FILE is missing" in option_error(scenario, tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda _: b"", "no file of weights"),
        (lambda whole: whole[:-4], "digest"),
        (lambda whole: whole[:-1] + bytes([whole[-1] ^ 1]), "digest"),
        (lambda whole: whole + b"1234", "digest"),
        (lambda whole: b"x" * 5000 + whole, "no file of weights"),
        (lambda whole: b"{}\n" + whole, "first line"),
        (lambda whole: b"[1\n" + whole, "first line"),
        (lambda whole: whole.replace(b"smartsbd-agent 1", b"smartsbd-agent 9"), "format"),
        (lambda whole: whole.replace(b"[50, 4, 1]", b"[50, 5, 1]"), "fewer weights"),
        (lambda whole: whole.replace(b"[50, 4, 1]", b"[50, 3, 1]"), "more weights"),
        (lambda whole: whole.replace(b"[50, 4, 1]", b"[50, 4, 2]"), "layers"),
        (lambda whole: whole.replace(b"[50, 4, 1]", b"[-5, 4, 1]"), "layers"),
        (lambda whole: whole.replace(b"[50, 4, 1]", b"[50.0, 4, 1]"), "layers"),
        (lambda whole: whole.replace(b"[50, 4, 1]", b"[50, 4, true]"), "layers"),
    ],
)
def test_a_file_that_is_no_agent_is_refused(change: Any, message: str, tmp_path: Path) -> None:
    path = tmp_path / "an.agent"
    agent_file.write(draw_perceptron([50, 4, 1], np.random.default_rng(1), 0.5), path, {})
    path.write_bytes(change(path.read_bytes()))
    error = option_error(two_links(mplibra("learnt")), tmp_path / "run", f"--agent={path}")
    assert error.startswith(str(path))
    assert message in error


def test_an_agent_that_does_not_answer_ends_the_run(tmp_path: Path) -> None:
    done = execute(tmp_path, json.dumps(two_links(mplibra("learnt"))), "--agent=-")
    assert done.returncode == 2
    assert "gives no answer" in done.stderr
    assert not (tmp_path / "truth.json").exists()


def test_a_rival_has_room_beside_it(tmp_path: Path) -> None:
    """A TCP flow on the link of both subflows has more than a third: what it would have beside two flows."""
    scenario = two_links(mplibra("learnt"))
    scenario["links"] = scenario["links"][:1]
    for own in scenario["subflows"]:
        own.update(links=[0], bottleneck=[[0.0, 0]])
    scenario["background"] = [flow("reno", None, rtt=RTT_MS)]
    scenario["series_s"] = 1.0
    runs = simulate_all(tmp_path, seeds(scenario, 3))
    rival = mean(sum(sum(own["background_bytes"]) for own in run.truth["series"]["intervals"]) for run in runs)
    assert rival * 8e-6 / DURATION_S > RATE / 3
