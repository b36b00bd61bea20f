"""Detectors tuned, replayed and judged on a real kernel's connections: from tables to the tables of results."""

from __future__ import annotations

import bisect
import shutil
from pathlib import Path

import pandas as pd
import pytest
import yaml

from smartsbd.contracts import tables
from smartsbd.contracts.contract import TableReader
from smartsbd.detectors import DETECTORS
from smartsbd.detectors.replaying import built, opinions_on, read_known
from smartsbd.pipelines.__main__ import main
from smartsbd.pipelines.running.stage import EXIT_USAGE

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
#: Connections to learn from, and the same ones to test on: here it is about the road, not about accuracy.
LAB, KERNEL = "lab", "kernel"
GRIDS = {"correlation": {"threshold": [0.2, 0.6]}, "rfc8382": {"p_mad": [0.1, 0.4], "c_s": [0.1]}}
KEY = ["connection_id", "subflow_a", "subflow_b", "rule", "window_start_ns"]


def stages() -> list[tuple[str, ...]]:
    prepared = [(name, "--dataset", dataset) for dataset in (LAB, KERNEL) for name in ("parse", "validate", "extract")]
    learnt = [(name, "--dataset", LAB) for name in ("swap", "search", "tune")]
    return [*prepared, *learnt, ("replay", "--dataset", LAB), ("replay", "--dataset", KERNEL), ("baselines",)]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("replay")
    params = yaml.safe_load((ROOT / "params.yaml").read_text())
    params |= {"simulated": [], "samples": [], "datasets": [LAB, KERNEL], "evaluation_only": [KERNEL], "workers": 1}
    params["validate"]["method"][LAB] = "filled"
    params["search"] |= {
        "datasets": [LAB],
        "feature_sets": ["invariant"],
        "top": [3],
        "families": {"tree": {"max_depth": [2]}},
        "neighbors": [1],
        "splits": 3,
        "test_share": 0.4,
        "inner_folds": 2,
    }
    params["unseen"] = {"trained": LAB, "tested": KERNEL}
    params["generalise"] = {"trained": [[LAB]], "tested": [KERNEL], "families": ["tree"]}
    params["automl"] |= {"families": ["tree"], "students": ["tree"]}
    params["evaluate"]["resamples"] = 100
    params["replay"] |= {"detectors": list(DETECTORS), "models": ["tree_invariant"], "grids": GRIDS}
    (folder / "params.yaml").write_text(yaml.safe_dump(params))
    shutil.copy(ROOT / "dvc.yaml", folder)
    for dataset in (LAB, KERNEL):
        shutil.copytree(ROOT / "data/samples/kernel", folder / "data/raw" / dataset)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for stage in stages():
            assert main(stage) == 0, stage
    return folder


def table(project: Path, dataset: str, name: str) -> pd.DataFrame:
    return pd.read_parquet(project / f"data/replayed/{dataset}/{name}.parquet")


def said_at(grouping: pd.DataFrame, row: pd.Series[float], time_ns: int) -> bool | None:
    """What the opinions say of a pair at a time, read off their table."""
    own = grouping[
        (grouping["connection_id"] == row["connection_id"])
        & (grouping["detector"] == row["detector"])
        & (grouping["preset"] == row["preset"])
        & (grouping["time_ns"] <= time_ns)
    ]
    if own.empty:
        return None
    last = own[own["time_ns"] == own["time_ns"].max()].set_index("subflow_id")["group"]
    one, other = last[row["subflow_a"]], last[row["subflow_b"]]
    return None if pd.isna(one) or pd.isna(other) else bool(one == other)


def test_each_detector_has_its_own_parameter_sets_and_those_tuned_elsewhere(project: Path) -> None:
    own = {(kind.name, preset) for kind in DETECTORS.values() for preset in kind.presets}
    tuned = {(name, f"tuned on {LAB}{form}") for name in GRIDS for form in ("", " for time")}
    seen = {
        dataset: set(table(project, dataset, "opinion")[["detector", "preset"]].itertuples(index=False, name=None))
        for dataset in (LAB, KERNEL)
    }
    # The kernel's log has neither one-way delays nor marks.
    without = {("ton20-r", "ecn"), ("emptcp-r", "default")} | {pair for pair in own if pair[1] == "owd"}
    assert seen[LAB] == own - without
    assert seen[KERNEL] == (own - without) | tuned | {("tree_invariant", f"trained on {LAB}")}


def test_opinions_on_windows_are_those_in_force_at_their_ends(project: Path) -> None:
    opinion, grouping = table(project, KERNEL, "opinion"), table(project, KERNEL, "grouping")
    windows = pd.read_parquet(project / f"data/features/{KERNEL}/pair_window.parquet")
    labelled = windows[windows["shared"].notna()]
    assert len(opinion) == len(labelled) * opinion[["detector", "preset"]].drop_duplicates().shape[0]
    ends = opinion.merge(labelled[[*KEY, "window_ns"]], on=KEY, validate="many_to_one")
    some = ends.sample(150, random_state=0)
    for _, row in some.iterrows():
        said = said_at(grouping, row, row["window_start_ns"] + row["window_ns"])
        assert (None if pd.isna(row["shared_pred"]) else bool(row["shared_pred"])) == said
    assert some["shared_pred"].nunique(dropna=False) == 3


def test_accuracy_on_windows_is_that_of_the_opinions(project: Path) -> None:
    opinion = table(project, KERNEL, "opinion")
    own = opinion[(opinion["rule"] == "tiled") & (opinion["detector"] == "rfc8382") & (opinion["preset"] == "default")]
    right = (own["shared_pred"] == own["shared"]).fillna(value=False).astype(float)
    judged = pd.read_csv(project / f"reports/replay_accuracy/{KERNEL}.csv")
    got = judged[(judged["detector"] == "rfc8382") & (judged["parameters"] == "default")]
    assert got["balanced"].item() == pytest.approx(right.groupby(own["shared"]).mean().mean(), abs=1e-6)
    assert got["windows"].item() == len(own)
    assert got["none"].item() == own["shared_pred"].isna().sum()


def test_time_is_shared_out_among_the_opinions(project: Path) -> None:
    share, grouping = table(project, KERNEL, "time_share"), table(project, KERNEL, "grouping")
    connections = pd.read_parquet(project / f"data/tables/{KERNEL}/connection.parquet").set_index("connection_id")
    assert (share["together_ns"] + share["apart_ns"] <= share["scored_ns"]).all()
    states = pd.read_parquet(project / f"data/tables/{KERNEL}/state.parquet")
    starts_ns = pd.read_parquet(project / f"data/tables/{KERNEL}/subflow.parquet").groupby("connection_id")["start_ns"]
    congested = states[states["ca_state"] >= 3].groupby(["connection_id", "subflow_id"])["time_ns"].min()
    for _, row in share.sample(40, random_state=0).iterrows():
        name, end_ns = row["connection_id"], int(connections.loc[row["connection_id"], "end_ns"])
        assert len(congested.loc[name]) == 2, "each subflow was congested: its slow start ends there"
        start_ns = int(max(congested.loc[name].max(), starts_ns.min()[name]))
        assert row["scored_ns"] == end_ns - start_ns
        # Where opinions change, at most a tick of each is counted wrong.
        ticks = range(start_ns, end_ns, 20_000_000)
        own = grouping[(grouping["connection_id"] == name) & (grouping["detector"] == row["detector"])]
        changes = sorted(own.loc[own["preset"] == row["preset"], "time_ns"].unique())
        since = [None, *(said_at(grouping, row, at_ns) for at_ns in changes)]
        said = [since[bisect.bisect_right(changes, at_ns)] for at_ns in ticks]
        for shared, held_ns in ((True, row["together_ns"]), (False, row["apart_ns"])):
            assert abs(said.count(shared) * 20_000_000 - held_ns) <= (len(changes) + 1) * 20_000_000


def test_a_detector_whose_signal_is_not_there_is_counted(project: Path) -> None:
    report = yaml.safe_load((project / f"reports/replay/{KERNEL}.json").read_text())
    assert "rfc8382/owd" in report["without_any_opinion"]
    assert "rfc8382/default" in report["with_an_opinion"]
    assert report["counts"]["connections"] == 12
    assert report["counts"]["without its signal: rfc8382/owd"] == 12
    assert "without its signal: rfc8382/default" not in report["counts"]
    judged = pd.read_csv(project / f"reports/baselines/{LAB}/same.csv")
    assert "owd" not in set(judged["parameters"])


def test_judged_rows_are_the_same_for_all_and_their_differences_paired(project: Path) -> None:
    judged = pd.read_csv(project / f"reports/baselines/{LAB}/same.csv").set_index(["detector", "parameters", "site"])
    assert judged["rows"].groupby("site").nunique().eq(1).all()
    predictions = pd.read_parquet(project / f"data/predictions/{LAB}.parquet")
    of_set = predictions[(predictions["train_set"] == f"{LAB}/tiled") & (predictions["test_set"] == f"{LAB}/tiled")]
    right = (of_set["shared_pred"] == of_set["shared"]).groupby([of_set["model"], of_set["shared"]]).mean()
    balanced = right.groupby("model").mean()
    for model in ("tree", "correlation"):
        row = judged.xs(model, level="detector").xs("all", level="site")
        learned = row[row["evidence"] == "learned"].iloc[0]
        assert learned["balanced"] == pytest.approx(balanced[model], abs=1e-6)
        assert learned["less_correlation"] == pytest.approx(balanced[model] - balanced["correlation"], abs=2e-6)


def test_tuned_rows_come_from_the_training_side(project: Path) -> None:
    grid = pd.read_parquet(project / f"data/tuned/{LAB}/opinion.parquet")
    predictions = pd.read_parquet(project / f"data/predictions/{LAB}.parquet")
    predictions = predictions[predictions["train_set"] == f"{LAB}/tiled"]
    own = grid[(grid["detector"] == "correlation") & (grid["rule"] == "tiled")]
    right = (own["shared_pred"] == own["shared"]).fillna(value=False).astype(float)
    rows = []
    for fold, tested in predictions.groupby("fold"):
        names = set(tested["connection_id"][~tested["test_set"].str.endswith("swapped")])
        on_test = own["connection_id"].isin(names)
        means = right[~on_test].groupby([own["preset"], own["shared"]]).mean().groupby("preset").mean()
        best = min(means[means.round(9) == means.round(9).max()].index)
        chosen = own[on_test & (own["preset"] == best)]
        rows.append(chosen.assign(right=right[chosen.index], fold=fold))
    expected = pd.concat(rows).groupby("shared")["right"].mean().mean()
    judged = pd.read_csv(project / f"reports/baselines/{LAB}/same.csv")
    got = judged[(judged["detector"] == "correlation") & (judged["parameters"] == "tuned") & (judged["site"] == "all")]
    assert got["balanced"].item() == pytest.approx(expected, abs=1e-6)


def test_compiled_detectors_say_what_their_python_twins_say_to_the_same_events(project: Path) -> None:
    folder = project / "data/tables" / KERNEL
    truth = project / f"data/truth/{KERNEL}.parquet"
    known = read_known(folder, truth, project / f"data/features/{KERNEL}/pair_window.parquet")
    connection = known.connections[0]
    readers = (TableReader(tables.ACK, folder / "ack.parquet"), TableReader(tables.STATE, folder / "state.parquet"))
    rows = [reader.rows_of(connection["connection_id"]) for reader in readers]
    rows.append(tables.LOSS.schema().empty_table())
    subflow_ids = sorted(known.subflows[connection["connection_id"]])
    presets = {(kind.name, preset): kind for kind in DETECTORS.values() for preset in kind.presets}
    compiled, plain = (
        opinions_on(
            rows,
            subflow_ids,
            connection["end_ns"],
            {name: build(kind, kind.presets[name[1]]) for name, kind in presets.items()},
        )
        for build in (built, lambda kind, parameters: kind.build(parameters))
    )
    assert compiled == plain
    said, told = plain
    assert told > 0
    assert any(said.values())


def test_nothing_is_tuned_on_what_is_for_evaluation_only(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    assert main(["tune", "--dataset", KERNEL]) == EXIT_USAGE
    assert not (project / f"reports/tuned/{KERNEL}.json").exists()


def test_the_other_tables_hold_what_their_rows_say(project: Path) -> None:
    share = table(project, LAB, "time_share")
    own = share[(share["detector"] == "correlation") & (share["preset"] == "default")]
    right = {
        "all": (own["last_pred"] == own["shared"]).astype(float),
        "time": own["together_ns"].where(own["shared"], own["apart_ns"]) / own["scored_ns"],
    }
    for name, values in right.items():
        judged = pd.read_csv(project / f"reports/baselines/{LAB}/{name}.csv")
        row = judged[(judged["detector"] == "correlation") & (judged["parameters"] == "default")]
        row = row[row["site"] == "all"] if name == "all" else row[row["on"] == "all connections"]
        assert row["balanced"].item() == pytest.approx(values.groupby(own["shared"]).mean().mean(), abs=1e-6)
        bound = judged[(judged["detector"] == "correlation") & (judged["parameters"] == "best of the grid")]
        grid = pd.read_parquet(project / f"data/tuned/{LAB}/time_share.parquet")
        grid = grid[grid["detector"] == "correlation"]
        each = (
            (grid["last_pred"] == grid["shared"]).astype(float)
            if name == "all"
            else grid["together_ns"].where(grid["shared"], grid["apart_ns"]) / grid["scored_ns"]
        )
        means = each.groupby([grid["preset"], grid["shared"]]).mean().groupby("preset").mean()
        assert bound["balanced"].item() == pytest.approx(means.max(), abs=1e-6)
