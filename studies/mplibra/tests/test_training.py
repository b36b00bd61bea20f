"""Trainings: a seed repeats one, one that was stopped goes on, and what is written is what the simulator reads."""

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from studies.__main__ import main
from studies.mplibra.agents import agent_file
from studies.mplibra.agents.ddpg import DdpgSettings
from studies.mplibra.agents.perceptron import Floats
from studies.mplibra.training import checkpoint, episodes, training
from studies.mplibra.training.checkpoint import CheckpointError
from studies.mplibra.training.conversation import Question
from studies.mplibra.training.episodes import Episode
from studies.mplibra.training.recipe import RECIPES, Recipe
from studies.mplibra.training.training import CurvePoint, Training

pytestmark = pytest.mark.slow


def short(draw: Callable[[np.random.Generator], Episode]) -> Callable[[np.random.Generator], Episode]:
    """Episodes of 2 s in place of 30, without rivals."""

    def drawn(rng: np.random.Generator) -> Episode:
        episode = draw(rng)
        scenario = episode.scenario.model_copy(update={"duration_s": 2.0, "background": ()})
        return replace(episode, scenario=scenario)

    return drawn


@pytest.fixture(params=sorted(RECIPES))
def tiny(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Recipe:
    """The recipe of an agent, with small networks and few steps."""
    monkeypatch.setattr(training, "_EVALUATED", 2)
    monkeypatch.setattr(training, "_SCORED", 2)
    own = RECIPES[request.param]
    return replace(
        own,
        draw=short(own.draw),
        steps=90,
        settings=DdpgSettings(hidden=(8,), batch=16),
        warm_up=20,
        memory=60,
        evaluate_every=30,
    )


def numbers_of(one: Training) -> list[tuple[object, ...]]:
    """The learning curve without times."""
    return [(own.steps, own.episodes, own.reward, own.learning_reward, own.critic_error) for own in one.curve]


def same_weights(a: Training, b: Training) -> bool:
    pairs = zip(a.learner.actor.parameters, b.learner.actor.parameters, strict=True)
    return all(np.array_equal(one, other) for one, other in pairs)


def finished(tiny: Recipe, seed: int) -> Training:
    one = Training(tiny, seed)
    assert len(list(one.run(budget_s=1000))) == len(one.curve) >= 2
    return one


def test_a_seed_repeats_a_training_and_one_that_goes_on_is_the_same(tiny: Recipe, tmp_path: Path) -> None:
    whole, again, other = finished(tiny, 1), finished(tiny, 1), finished(tiny, 2)
    assert numbers_of(whole) == numbers_of(again) != numbers_of(other)
    assert same_weights(whole, again)
    stopped = Training(tiny, 1)
    next(stopped.run(budget_s=1000))
    checkpoint.save(stopped, tmp_path / "kept.npz")
    resumed = checkpoint.load(tiny, 1, tmp_path / "kept.npz")
    assert resumed.steps == stopped.steps
    list(resumed.run(budget_s=1000))
    assert numbers_of(resumed) == numbers_of(whole)
    assert same_weights(resumed, whole)
    assert resumed.best is not None
    assert whole.best is not None
    assert np.array_equal(resumed.best.weights[0], whole.best.weights[0])


def test_one_that_was_stopped_between_evaluations_is_the_same(tiny: Recipe, tmp_path: Path) -> None:
    """When to evaluate depends on steps alone, not on when the time was up."""
    tiny = replace(tiny, steps=110, evaluate_every=55)
    whole, stopped = finished(tiny, 1), Training(tiny, 1)
    stopped.round()
    assert 0 < stopped.steps < stopped.next_evaluation()
    checkpoint.save(stopped, tmp_path / "kept.npz")
    resumed = checkpoint.load(tiny, 1, tmp_path / "kept.npz")
    assert list(resumed.run(budget_s=0.0)) == []
    list(resumed.run(budget_s=1000))
    assert numbers_of(resumed) == numbers_of(whole)
    assert same_weights(resumed, whole)


def test_an_answer_has_the_reward_of_what_left_by_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """That of the second question after it; a state's next one is that of the first."""
    own = RECIPES["mplibra"]
    states: list[float] = []
    learnt: list[tuple[float, float, float, float]] = []

    def act(state: Floats) -> float:
        states.append(float(state.sum()))
        return 0.5 if len(states) % 2 else -0.5

    recipe = replace(own, reward=lambda _, told, subflow: float(told[subflow].state.sum()))
    episode = short(own.draw)(np.random.default_rng([1, 1]))
    training.converse([episode], recipe, act, lambda *one: learnt.append((one[0].sum(), one[1], one[2], one[3].sum())))
    assert len(learnt) == len(states) - 2 > 5
    answers = [0.5 if number % 2 == 0 else -0.5 for number in range(len(states))]
    assert learnt == [*zip(states, answers, states[2:], states[1:], strict=False)]


def test_the_best_evaluation_is_kept(tiny: Recipe, monkeypatch: pytest.MonkeyPatch) -> None:
    one = Training(tiny, 1)
    one.round()
    rewards = iter([-3.0, -1.0, -2.0])
    monkeypatch.setattr(Training, "_mean_reward", lambda *_: next(rewards))
    kept = []
    for _ in range(3):
        one.since.append((0.0, 0.0))
        one.learner.actor.biases[-1][0] += 1
        point = one.evaluate()
        assert isinstance(point, CurvePoint)
        assert one.best is not None
        kept.append(float(one.best.biases[-1][0]))
    assert kept[1] == kept[2] == pytest.approx(kept[0] + 1)


def test_no_time_is_no_training(tiny: Recipe) -> None:
    one = Training(tiny, 1)
    assert list(one.run(budget_s=0.0)) == []
    assert one.best is None


def test_a_checkpoint_of_another_training_is_refused(tiny: Recipe, tmp_path: Path) -> None:
    path = tmp_path / "kept.npz"
    one = Training(tiny, 1)
    one.round()
    checkpoint.save(one, path)
    with pytest.raises(CheckpointError, match="seed 1"):
        checkpoint.load(tiny, 2, path)
    for other in (replace(tiny, settings=DdpgSettings(hidden=(9,))), replace(tiny, noise=(0.1, 0.1))):
        with pytest.raises(CheckpointError, match="is of"):
            checkpoint.load(other, 1, path)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(CheckpointError, match="no checkpoint"):
        checkpoint.load(tiny, 1, path)
    path.write_bytes(b"garbage")
    with pytest.raises(CheckpointError, match="no checkpoint"):
        checkpoint.load(tiny, 1, path)


def test_the_command_writes_weights_with_their_card_and_the_curve(
    tiny: Recipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(RECIPES, tiny.name, tiny)
    folders = [f"--weights={tmp_path / 'weights'}", f"--checkpoints={tmp_path / 'kept'}"]
    assert main(["mplibra", "train", tiny.name, "--seed=3", *folders]) == 0
    actor, card = agent_file.read(tmp_path / "weights" / f"{tiny.name}.agent")
    assert actor.sizes == [tiny.inputs, 8, 1]
    assert (card["name"], card["seed"]) == (tiny.name, 3)
    kept = checkpoint.load(tiny, 3, tmp_path / "kept" / f"{tiny.name}-3.npz")
    assert kept.best is not None
    assert card["scored_reward"] == kept.score(kept.best) != card["reward"]
    curve = (tmp_path / "weights" / f"{tiny.name}.csv").read_text().splitlines()
    assert curve[0].split(",")[:3] == ["steps", "episodes", "reward"]
    assert max(float(line.split(",")[2]) for line in curve[1:]) == pytest.approx(card["reward"], rel=1e-5)
    # Nothing is left to do.
    assert main(["mplibra", "train", tiny.name, "--seed=3", *folders]) == 0


def test_without_an_evaluation_nothing_is_written(
    tiny: Recipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(RECIPES, tiny.name, tiny)
    folders = [f"--weights={tmp_path / 'weights'}", f"--checkpoints={tmp_path / 'kept'}"]
    assert main(["mplibra", "train", tiny.name, "--minutes=0", *folders]) == 1
    assert not list((tmp_path / "weights").iterdir())


@pytest.mark.parametrize("draw", [episodes.of_one_subflow, episodes.of_connection])
def test_episodes_are_within_what_is_said(draw: Callable[[np.random.Generator], Episode]) -> None:
    drawn = [draw(np.random.default_rng([1, number])) for number in range(300)]
    subflows = {len(one.scenario.subflows) for one in drawn}
    assert subflows == ({1} if draw is episodes.of_one_subflow else {2, 3, 4, 5})
    assert {len(one.scenario.background) for one in drawn} == {0, 1, 2, 3}
    losses = [own.access.loss for one in drawn for own in one.scenario.subflows]
    assert 0.4 < sum(loss == 0 for loss in losses) / len(losses) < 0.6
    assert max(losses) <= 0.005
    for one in drawn:
        for capacity, base_s in zip(one.capacity_mbit_s, one.base_rtt_s, strict=True):
            assert 2 <= capacity <= 80
            assert 0.02 <= base_s <= 0.24
            assert capacity * 1e6 / 8 * base_s <= 301 * 1440
    assert draw(np.random.default_rng([1, 5])) == drawn[5]


def test_rewards_are_by_the_network_of_the_episode() -> None:
    """Rates over those of the links, RTTs over the base; the connection's is of all that were told of."""
    episode = episodes.of_connection(np.random.default_rng([1, 2]))
    state = np.zeros(1, np.float32)
    told = {
        number: Question(number, 1.5 * base_s, 0.01, capacity / 2, state)
        for number, (capacity, base_s) in enumerate(zip(episode.capacity_mbit_s, episode.base_rtt_s, strict=True))
    }
    assert RECIPES["mplibra"].reward(episode, told, 0) == pytest.approx(0.5 - 1.5 - 0.1)
    shares = sum(one.delivery_mbit_s for one in told.values()) / episode.total_mbit_s
    assert RECIPES["rl_joint"].reward(episode, told, 1) == pytest.approx(math.log(shares))
