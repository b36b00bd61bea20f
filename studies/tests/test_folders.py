"""Each study is whole in its folder: what is read of it is valid, and nothing misses one that is taken away."""

from __future__ import annotations

import argparse
import ast
import importlib
import shutil
from pathlib import Path

import pytest
import yaml
from dvc.repo import Repo

from smartsbd.pipelines.params import overlaid, read_block, read_params
from smartsbd.pipelines.running.dag import Stage, read_stages, read_studies, study_files
from studies.__main__ import main, programs
from tests.pipelines import imports

ROOT = Path(__file__).parents[2]
FOLDERS = sorted(path.parent for path in study_files(ROOT) if path.parent.name != "studies")
NAMES = [folder.name for folder in FOLDERS]
#: Those that have parameters of their own; the others take the main road's.
WITH_PARAMETERS = [folder for folder in FOLDERS if f"{folder.name}/params.yaml:" in (folder / "dvc.yaml").read_text()]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """What DVC reads of the project before it runs a stage."""
    project = tmp_path / "project"
    for name in (".dvc/config", ".dvcignore", "dvc.yaml", "params.yaml"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, project / name)
    for path in study_files(ROOT):
        copy = project / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
        if (path.parent / "params.yaml").exists():
            shutil.copy(path.parent / "params.yaml", copy.parent)
    return project


def stages(project: Path) -> set[str]:
    """Each stage that DVC finds, by the folder of its dvc.yaml."""
    with Repo(str(project), uninitialized=True) as repo:
        repo.check_graph(repo.index.stages)
        return {f"{Path(stage.path).parent.name}: {stage.name.partition('@')[0]}" for stage in repo.index.stages}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of a package that DVC calls
def test_a_study_can_be_taken_away(tree: Path) -> None:
    """Everything is read by DVC, and what is left without any one study is what there was without its stages."""
    whole = stages(tree)
    assert {one.partition(": ")[0] for one in whole} >= set(NAMES)
    for folder in FOLDERS:
        kept = tree.parent / "kept"
        (tree / "studies" / folder.name).rename(kept)
        assert stages(tree) == {one for one in whole if not one.startswith(f"{folder.name}: ")}
        kept.rename(tree / "studies" / folder.name)


@pytest.mark.slow
def test_nothing_outside_imports_a_study() -> None:
    """The packages are held to it by import-linter too."""
    outside = [path for path in imports.modules(ROOT) if path.parts[0] != "studies"]
    outside += [path.relative_to(ROOT) for path in (ROOT / "tests").rglob("*.py")]
    for path in outside:
        for node in ast.walk(ast.parse((ROOT / path).read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
            assert not any(name.partition(".")[0] == "studies" for name in names), path


@pytest.mark.parametrize("folder", WITH_PARAMETERS, ids=lambda folder: folder.name)
def test_parameters_are_valid_in_every_profile_and_no_key_is_the_main_road_s(folder: Path, tmp_path: Path) -> None:
    """DVC refuses a key that two files have, where a dvc.yaml takes both."""
    own = folder / "params.yaml"
    assert not yaml.safe_load(own.read_text()).keys() & yaml.safe_load((ROOT / "params.yaml").read_text()).keys()
    module = importlib.import_module(f"studies.{folder.name}.run")
    replication = getattr(module, "REPLICATION", None)
    kind = module.PARAMS if replication is None else replication.experiments
    content = read_block(own, kind)
    assert replication is None or content.planned()
    for overlay in (folder / "params").glob("*.yaml"):
        assert (ROOT / "params" / overlay.name).exists()
        merged = tmp_path / overlay.name
        merged.write_text(overlaid(own, overlay))
        read_block(merged, kind)


@pytest.mark.parametrize("stage", read_studies(ROOT), ids=lambda stage: stage.name)
def test_every_program_takes_the_arguments_of_its_dvc_yaml(stage: Stage) -> None:
    params = read_params(ROOT / "params.yaml")
    known = {*programs().values(), *(main_road.module for main_road in read_stages(ROOT / "dvc.yaml"))}
    for place, name in enumerate(stage.modules):
        assert name in known
        module = importlib.import_module(name)
        parser = argparse.ArgumentParser()
        module.add_arguments(parser)
        for dataset in stage.datasets(params) or [""]:
            arguments = stage.arguments(dataset, params, place)
            assert not any("${" in argument for argument in arguments)
            parser.parse_args(arguments)
        assert module.__doc__
    assert stage.description.endswith(".")


def test_a_program_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["transfers", "claim"]) == 2
    assert "'transfers claim' is no program, there are " in capsys.readouterr().err
    assert main([]) == 2
