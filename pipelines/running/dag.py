"""dvc.yaml as data: the stages, their commands and what feeds what."""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from smartsbd.contracts.fault import UsageFault
from smartsbd.pipelines.running.stage import of_dataset

if TYPE_CHECKING:
    from smartsbd.pipelines.params import Params

DAG_FILE = Path("dvc.yaml")
#: The dvc.yaml files of studies, from the project's folder.
STUDIES = ("studies/dvc.yaml", "studies/*/dvc.yaml")
_ITEM = "${item.dataset}"
_PARAMETER = re.compile(r"\$\{([a-z_]+(?:\.[a-z_]+)*)\}")
_EACH = re.compile(r"--each ([a-z_.]+)(?: --at-once)? ?")
_MODULE = re.compile(r"^python -m (smartsbd\.pipelines\.stages|studies)((?: [a-z_]+)+) ?")


class NoProjectError(UsageFault):
    """No folder upwards holds a dvc.yaml."""


def enter_project() -> Path:
    """Change to the project's folder, the nearest one upwards that holds dvc.yaml: for notebooks.

    Returns
    -------
    Path
        Absolute.

    Raises
    ------
    NoProjectError
        If there is none.
    """
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / DAG_FILE).exists():
            os.chdir(folder)
            return folder
    raise NoProjectError(f"{here}: neither here nor further up is there a {DAG_FILE}")


def in_project() -> bool:
    """Return whether this folder is a project's: it has a dvc.yaml whose stages are the pipeline's."""
    return DAG_FILE.is_file() and "python -m smartsbd.pipelines.stages " in DAG_FILE.read_text(errors="replace")


def _value(values: dict[str, Any], name: str) -> Any:
    """Return the value of a name such as ``further.simulated``; None if there is none."""
    value: Any = values
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def filled_in(text: str, dataset: str, params: Params) -> str:
    """Return a path or command of dvc.yaml for one dataset, with the parameters it names.

    Parameters
    ----------
    text : str
        With ``${item.dataset}`` and names of parameters such as ``${unseen.trained}``.
    dataset : str
    params : Params

    Returns
    -------
    str
    """
    return _PARAMETER.sub(lambda match: str(params.value(match[1])), text.replace(_ITEM, dataset))


@dataclass(frozen=True)
class Stage:
    """One stage: its sentence, its commands, what it reads and writes.

    Attributes
    ----------
    name, description : str
    commands : tuple of str
        They run one after the other; a stage of the main road has one.
    deps, outs : tuple of str
        Paths.
    matrix : str or None
        The parameter that lists the datasets DVC runs it for, each by itself, for instance ``rank.datasets``.
    each : str or None
        The parameter that lists the datasets one run of it does.
    listed : tuple of str or None
        The datasets themselves, where a study's params.yaml lists them.
    """

    name: str
    description: str
    commands: tuple[str, ...]
    deps: tuple[str, ...]
    outs: tuple[str, ...]
    matrix: str | None = None
    each: str | None = None
    listed: tuple[str, ...] | None = None

    @property
    def command(self) -> str:
        """The first of its commands."""
        return self.commands[0]

    @property
    def module(self) -> str:
        """Name of the module of its first program."""
        return self.modules[0]

    @property
    def modules(self) -> tuple[str, ...]:
        """Names of its programs' modules, in the order in which they run."""
        matches = [_MODULE.match(command) for command in self.commands]
        return tuple(".".join([match[1], *match[2].split()]) if match else "" for match in matches)

    def datasets(self, params: Params) -> list[str]:
        """Return the datasets of the stage; empty if it has none."""
        if self.listed is not None:
            return list(self.listed)
        parameter = self.matrix or self.each
        return [] if parameter is None else list(params.value(parameter))

    def arguments(self, dataset: str, params: Params, place: int = 0) -> list[str]:
        """Return the arguments of one of its commands.

        Parameters
        ----------
        dataset : str
            The dataset that it is run for; if this is empty, of a stage that does several, for all.
        params : Params
        place : int
            Of the command.

        Returns
        -------
        list of str
        """
        command = _MODULE.sub("", filled_in(self.commands[place], dataset, params))
        if self.each is None or not dataset:
            return shlex.split(command)
        return of_dataset(shlex.split(_EACH.sub("", command)), dataset)


def _paths(entries: list[Any]) -> tuple[str, ...]:
    return tuple(next(iter(entry)) if isinstance(entry, dict) else str(entry) for entry in entries)


def _commands(written: str | list[str]) -> tuple[str, ...]:
    return tuple(" ".join(command.split()) for command in ([written] if isinstance(written, str) else written))


def _loaded(path: Path) -> Any:
    """Return what a YAML file holds."""
    # Outside of a project, nothing is loaded, and the help does not wait for it.
    import yaml

    return yaml.load(path.read_text(), yaml.CSafeLoader)


def read_stages(path: Path = DAG_FILE) -> list[Stage]:
    """Return the stages in the file's order."""
    content = _loaded(path)
    return [
        Stage(
            name=name,
            description=body["desc"],
            commands=_commands(body["cmd"]),
            deps=_paths(body.get("deps", [])),
            outs=_paths([*body.get("outs", []), *body.get("metrics", []), *body.get("plots", [])]),
            matrix=body["matrix"]["dataset"].strip("${}") if "matrix" in body else None,
            each=each[1] if (each := _EACH.search(_commands(body["cmd"])[0])) else None,
        )
        for name, body in content["stages"].items()
    ]


def study_files(root: Path) -> list[Path]:
    """Return the dvc.yaml of each study that is there, in the order of their names."""
    return sorted(path for pattern in STUDIES for path in root.glob(pattern))


def read_studies(root: Path) -> list[Stage]:
    """Return the stages of the studies, called as DVC calls them: ``studies/olaps/dvc.yaml:run``.

    Values of a study's own params.yaml are in place of their names.

    Returns
    -------
    list of Stage
        Study by study, each in the order of its file.
    """
    from smartsbd.pipelines.params import PARAMS_FILE

    return [
        replace(_with_values(stage, path.with_name(PARAMS_FILE.name)), name=f"{path.relative_to(root)}:{stage.name}")
        for path in study_files(root)
        for stage in read_stages(path)
    ]


def _with_values(stage: Stage, params_file: Path) -> Stage:
    values = _loaded(params_file) if params_file.exists() else {}

    def filled(texts: tuple[str, ...]) -> tuple[str, ...]:
        def value(match: re.Match[str]) -> str:
            known = _value(values, match[1])
            return match[0] if known is None else str(known)

        return tuple(_PARAMETER.sub(value, text) for text in texts)

    listed = _value(values, stage.matrix) if stage.matrix else None
    return replace(
        stage,
        commands=filled(stage.commands),
        deps=filled(stage.deps),
        outs=filled(stage.outs),
        listed=None if listed is None else tuple(listed),
    )


def _below(path: str, other: str) -> bool:
    return PurePosixPath(path).is_relative_to(other) or PurePosixPath(other).is_relative_to(path)


def edges(stages: list[Stage], params: Params) -> list[tuple[str, str]]:
    """Return (writer, reader) for every pair of stages joined by a path, for some of their datasets."""

    def expanded(stage: Stage, paths: tuple[str, ...]) -> set[str]:
        return {filled_in(path, dataset, params) for path in paths for dataset in stage.datasets(params) or [""]}

    written = {stage.name: expanded(stage, stage.outs) for stage in stages}
    read = {stage.name: expanded(stage, stage.deps) for stage in stages}
    return [
        (writer.name, reader.name)
        for writer in stages
        for reader in stages
        if writer is not reader and any(_below(out, dep) for out in written[writer.name] for dep in read[reader.name])
    ]


def mermaid(stages: list[Stage], params: Params) -> str:
    """Return the graph as a Mermaid diagram, which code hosts draw."""
    lines = ["flowchart LR"]
    lines += [
        f"    {stage.name}([{stage.name}{' &times; dataset' if stage.matrix or stage.each else ''}])"
        for stage in stages
    ]
    lines += [f"    {writer} --> {reader}" for writer, reader in edges(stages, params)]
    return "\n".join(lines)


def sections(text: str) -> dict[str, list[str]]:
    r"""Return the names of the stages below each section's comment, in the order of a dvc.yaml.

    Parameters
    ----------
    text : str
        Of the file. A section begins with a comment such as ``# Signals: what parsers read``.

    Returns
    -------
    dict of str to list of str

    Examples
    --------
    >>> sections("stages:\n  # Signals: what parsers read.\n\n  parse:\n    cmd: x\n  validate:\n    cmd: y\n")
    {'Signals': ['parse', 'validate']}
    """
    named: dict[str, list[str]] = {}
    for title, stage in re.findall(r"^  (?:# ([^:\n]+): .*|([a-z_]+):)$", text, re.MULTILINE):
        if title:
            named[title] = []
        elif named:
            named[next(reversed(named))].append(stage)
    return named


def overview(named: dict[str, list[str]], stages: list[Stage], params: Params) -> str:
    """Return the graph of the sections as a Mermaid diagram; an arrow that follows from others is left out.

    Parameters
    ----------
    named : dict of str to list of str
        Of :func:`sections`.
    stages : list of Stage
    params : Params

    Returns
    -------
    str
        Text of the diagram, without a fence around it.
    """
    place = {stage: number for number, names in enumerate(named.values()) for stage in names}
    joined = {(place[writer], place[reader]) for writer, reader in edges(stages, params)}
    direct = {
        (a, b) for a, b in joined if a != b and not any((a, c) in joined and (c, b) in joined for c in range(a + 1, b))
    }
    boxes = [f'    {number}["{title}<br>{", ".join(names)}"]' for number, (title, names) in enumerate(named.items())]
    return "\n".join(["flowchart TD", *boxes, *(f"    {a} --> {b}" for a, b in sorted(direct))])
