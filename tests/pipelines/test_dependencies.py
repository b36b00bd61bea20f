"""dvc.yaml names all code that a stage runs, and little that it does not."""

from __future__ import annotations

import ast
import functools
from pathlib import Path

import pytest
import yaml

from smartsbd.pipelines.running.dag import Stage, read_stages, read_studies, study_files
from tests.pipelines import imports

ROOT = Path(__file__).parents[2]
BODIES = {
    **yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"],
    **{
        f"{path.relative_to(ROOT)}:{name}": body
        for path in study_files(ROOT)
        for name, body in yaml.safe_load(path.read_text())["stages"].items()
    },
}
#: What is always run goes by nothing.
ALWAYS = {name for name, body in BODIES.items() if body.get("always_changed")}
STAGES = [stage for stage in (*read_stages(ROOT / "dvc.yaml"), *read_studies(ROOT)) if stage.name not in ALWAYS]
#: Those of the root's params.yaml; a study's own is named whole.
PARAMETERS = {name: {own for own in body.get("params", []) if isinstance(own, str)} for name, body in BODIES.items()}
#: Modules that stages need not name, and why no result depends on them.
PASSED_OVER = {
    "smartsbd/__init__.py": "imports nothing before a name of it is asked for",
    "pipelines/__init__.py": "keeps libraries to one thread, whatever the stage",
    "pipelines/running/stage.py": "arguments, messages, exit codes",
    "pipelines/running/parallel.py": "which process does the work",
    "pipelines/running/journal.py": "what a stage took",
    "pipelines/running/unfinished_folder.py": "where a stage writes until it is done",
    "pipelines/running/scheduler.py": "which machine does the work; it compares the code itself",
    "pipelines/params/__init__.py": "reads params.yaml, whose values are dependencies by themselves",
    "pipelines/params/block.py": "checks values",
    "pipelines/params/automl.py": "checks values",
    "pipelines/params/export.py": "checks values",
    "pipelines/params/extract.py": "checks values",
    "pipelines/params/known_names.py": "checks values",
    "pipelines/params/learning.py": "checks values",
    "pipelines/params/parse.py": "checks values",
    "pipelines/params/simulate.py": "checks values",
}
#: Compiled parts and other files, by the module that takes them.
TAKEN_BY = {
    "detectors/compiled_detectors.py": "detectors/in_c",
    "export/emit_c.py": "export/templates",
    "export/fragment.py": "export/fragments",
    "export/header_program.py": "export/programs/replay.c",
    "features/at_once.py": "native/windows/src",
    "features/distance.py": "native/warping/src",
    "features/resample.py": "native/windows/src",
    "features/throughput.py": "native/windows/src",
    "models/families/neighbours.py": "native/warping/src",
    "scenarios/closed_loop/loop_program.py": "simulator/loop",
    "scenarios/registry.py": "scenarios/registry.json",
    "scenarios/simulator.py": "simulator/src",
    "traces/assembly.py": "native/logs/src",
    "traces/formats/capture.py": "native/packets/src",
    "pipelines/reporting/run_page.py": "pipelines/reporting/templates",
}
#: Parameters that no stage need name: no result depends on them.
WITHOUT_EFFECT = {"workers", "scheduler"}
#: What methods of blocks read.
METHODS = {"export.stored": {"export.dataset", "export.models"}}
#: Functions of Params that are given what else they use.
FUNCTIONS = {"check_learnable": "evaluation_only"}
#: Parameters of which an earlier stage writes every value: what it wrote is read too, and is another with other values.
BY_OUTPUT = {("replay", "replay.grids"): "reports/tuned", ("baselines", "replay.grids"): "data/tuned"}
#: Blocks that a stage takes whole and names in part, and why that is all it uses.
IN_PART = {
    ("simulate", "simulate"): "those of its own dataset",
    ("studies/datasets/dvc.yaml:simulate", "simulate"): "those of its own dataset",
    ("rank", "rank"): "all but `datasets`, which says for which datasets it runs",
    ("swap", "search"): "what splits are drawn with, and the rules",
}


def programs_of(stage: Stage) -> list[Path]:
    """The files of the programs that it runs."""
    return [path for module in stage.modules if (path := imports.file_of(ROOT, module)) is not None]


@functools.cache
def code_of(stage: Stage) -> set[str]:
    """What the stage's programs import."""
    passed_over = {Path(name) for name in PASSED_OVER}
    found = set[Path]().union(*(imports.closure(ROOT, program, passed_over) for program in programs_of(stage)))
    return {str(path) for path in found if path.name != "__init__.py" or imports.says_something(ROOT, path)}


def within(path: str, dep: str) -> bool:
    return Path(path).is_relative_to(dep)


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_all_that_is_imported_is_named(stage: Stage) -> None:
    missing = sorted(path for path in code_of(stage) if not any(within(path, dep) for dep in stage.deps))
    assert missing == []


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_nothing_is_named_that_is_not_imported(stage: Stage) -> None:
    """A folder stands for its modules where several of them are imported."""
    code = code_of(stage)
    for dep in stage.deps:
        if Path(dep).suffix == ".py":
            assert dep in code, dep
        modules = [str(path.relative_to(ROOT)) for path in (ROOT / dep).rglob("*.py") if path.name != "__init__.py"]
        if dep.startswith(imports.PACKAGES) and modules:
            assert len(code & set(modules)) >= min(len(modules), 2), dep


#: Stages that read features by their names.
NAMES_ALONE = (
    *("difficulty", "rank", "controls", "automl", "generalise", "tune", "replay"),
    *("verdicts", "learnt_verdicts", "export", "prove", "track"),
)
#: Modules that a stage imports for something else than what they take, and for what.
TAKEN_NOT = {
    ("prove", "export/emit_c.py"): "the list of features that have C",
    ("prove", "export/fragment.py"): "the same",
    ("validate", "traces/assembly.py"): "the name of a connection's input",
    ("validate", "traces/formats/capture.py"): "the name of a connection's input",
    ("search", "features/at_once.py"): "the names of the features; distances it computes",
    **{
        (stage, module): "the names of the features, none of which it computes"
        for module in ("features/at_once.py", "features/distance.py")
        for stage in NAMES_ALONE
    },
    **{
        ("report", module): "what features and signals are called"
        for module in ("features/at_once.py", "features/distance.py", "features/throughput.py")
    },
    ("export", "features/resample.py"): "the same",
    **{
        (stage, "features/throughput.py"): "what signals are; it takes none from tables"
        for stage in (*NAMES_ALONE, "search", "baselines")
    },
}


#: Modules that studies import for the names of features, and for what signals are.
OF_SIGNALS = ("features/at_once.py", "features/distance.py", "features/throughput.py")


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_what_its_modules_take_is_named(stage: Stage) -> None:
    for module in code_of(stage) & TAKEN_BY.keys():
        of_signals = stage.module.startswith("studies.") and module in OF_SIGNALS
        if (stage.name, module) not in TAKEN_NOT and not of_signals:
            taken = TAKEN_BY[module]
            assert any(within(taken, dep) for dep in stage.deps), f"{module} takes {taken}"


def test_what_is_left_out_is_taken_by_no_stage_that_names_it() -> None:
    """A reason that no longer holds goes."""
    by_name = {stage.name: stage for stage in STAGES}
    for name, module in TAKEN_NOT:
        assert module in code_of(by_name[name])
        assert not any(within(TAKEN_BY[module], dep) for dep in by_name[name].deps)


def test_what_is_always_run_names_what_it_waits_for_alone() -> None:
    """Each name more makes dvc.lock longer, which DVC reads and writes after each stage."""
    assert sorted(ALWAYS) == ["studies/dvc.yaml:page"]
    for name in ALWAYS:
        assert not PARAMETERS[name]
        assert all(dep.startswith(("data/", "reports", "export/generated")) for dep in BODIES[name].get("deps", []))


@pytest.mark.parametrize("name", sorted(PASSED_OVER))
def test_what_is_passed_over_is_there(name: str) -> None:
    assert (ROOT / name).exists()


def parameters_used(stage: Stage) -> set[str]:
    """Names such as ``search.rules`` that the stage's modules read of ``params``; ``search`` if they take the block."""
    return set[str]().union(*(parameters_read(program) for program in programs_of(stage)))


def parameters_read(program: Path) -> set[str]:
    """Those that one module reads."""
    tree = ast.parse((ROOT / program).read_text())
    found, inner = set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute):
            block = node.value
            if isinstance(block.value, ast.Name) and block.value.id == "params":
                found.add(f"{block.attr.rstrip('_')}.{node.attr}")
                inner.add(block)
    for node in ast.walk(tree):
        is_block = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "params"
        if is_block and node not in inner:
            assert isinstance(node, ast.Attribute)
            found.add(node.attr.rstrip("_"))
    return found


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_every_parameter_that_is_read_is_named(stage: Stage) -> None:
    named = PARAMETERS[stage.name]
    missing = []
    read = set[str]().union(*(METHODS.get(used, {used}) for used in parameters_used(stage)))
    for used in read - WITHOUT_EFFECT - FUNCTIONS.keys():
        block, _, key = used.removesuffix(".model_dump").partition(".")
        # `rule` is the first of `rules`.
        below = {f"{block}.{key}", f"{block}.{key}s"} if key else set()
        in_part = not key and (stage.name, block) in IN_PART and any(name.startswith(f"{block}.") for name in named)
        if BY_OUTPUT.get((stage.name, used)) in stage.deps:
            continue
        if not in_part and not named & {block, *below}:
            missing.append(used)
    assert missing == []
