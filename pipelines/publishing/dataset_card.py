"""The card of a published dataset: what its reader must know before using it, as Markdown.

Figures are counted in the files that are published. Settings and commands are those of params.yaml and dvc.yaml.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

import yaml

from smartsbd.contracts.contract import Column
from smartsbd.pipelines.params import Params
from smartsbd.pipelines.publishing import licence
from smartsbd.pipelines.publishing.dataset_counts import DatasetCounts
from smartsbd.pipelines.publishing.origin import Origin
from smartsbd.pipelines.publishing.table_file import TableFile
from smartsbd.pipelines.reporting.data_dictionary import value_range
from smartsbd.pipelines.running.dag import Stage, filled_in

#: How a label is validated, by what params.yaml calls it.
_VALIDATED = {
    "achieved": "the connection achieved more than {alpha} of the best throughput (quantile {desired_quantile}) of its"
    " group: connections of the same place, scenario and label. Of separate bottlenecks, each subflow did",
    "bottleneck": "each intended bottleneck was used to {min_utilisation} of its rate or more, and {min_drop_share} or"
    " more of its subflows' queue drops and marks happened there",
    "filled": "each intended bottleneck was used to {min_utilisation} of its rate or more; the topology leaves no other"
    " link to fill",
    "given": "its maker says so; nothing was measured",
}
_STAGES = ("simulate", "collect", "parse", "validate", "extract", "tiles")


@dataclass(frozen=True)
class Making:
    """What a dataset was made with.

    Attributes
    ----------
    commit : str
        Of the code, and whether its sources are as there.
    version : str
        Of the workbench.
    simulator : str
        Name and version of the simulator.
    stages : tuple of Stage
        Of dvc.yaml.
    """

    commit: str
    version: str
    simulator: str
    stages: tuple[Stage, ...]


def _bullets(sentences: Sequence[str]) -> str:
    return "\n".join(f"- {sentence}" for sentence in sentences)


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(str(cell).replace("|", r"\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def licence_line(expression: str, up: str) -> str:
    """Return a licence whose identifiers are links to their texts.

    Parameters
    ----------
    expression : str
        As SPDX has it.
    up : str
        The way from the document to the deposit's folder.

    Returns
    -------
    str
        Markdown.

    Examples
    --------
    >>> licence_line("MIT", "../..")
    '[MIT](../../LICENSES/MIT.txt)'
    """
    links = {
        identifier: f"[{identifier}]({PurePosixPath(up) / licence.text_file(identifier)})"
        for identifier in licence.identifiers(expression)
    }
    return " ".join(links.get(word, word) for word in expression.split(" "))


def commands(dataset: str, making: Making, params: Params) -> list[str]:
    """Return the commands that make a dataset's tables, in order, as dvc.yaml has them.

    Parameters
    ----------
    dataset : str
    making : Making
    params : Params

    Returns
    -------
    list of str
        One for each stage that makes the tables.
    """
    run_stages = (stage for stage in making.stages if stage.name in _STAGES and dataset in stage.datasets(params))
    return [
        filled_in(stage.command, dataset, params)
        if stage.each is None
        else " ".join(["python -m smartsbd.pipelines.stages", stage.name, *stage.arguments(dataset, params)])
        for stage in run_stages
    ]


def _settings(dataset: str, params: Params) -> str:
    settings = params.simulate_.get(dataset) if dataset in params.simulated else None
    if settings is None:
        return ""
    text = yaml.safe_dump({"simulate": {dataset: settings}}, sort_keys=False, default_flow_style=None, width=110)
    return f"Its settings, from params.yaml (profile `{params.profile}`):\n\n```yaml\n{text}```\n\n"


def _scenario_line(dataset: str, making: Making, params: Params) -> str:
    if dataset not in params.simulated:
        return ""
    # Slow to import, and only needed here.
    from smartsbd.scenarios.datasets import DATASETS

    module = DATASETS[dataset].__module__.replace(".", "/")
    return f"- `{module}.py` draws its scenarios; the simulator is {making.simulator}.\n"


def _made(dataset: str, origin: Origin, making: Making, params: Params) -> str:
    shown = "\n".join(commands(dataset, making, params))
    return (
        "## How it was made\n\n"
        f"{_bullets(origin.made)}\n{_scenario_line(dataset, making, params)}"
        f"- Published by SmartSBD workbench {making.version}, commit {making.commit}.\n\n"
        f"{_settings(dataset, params)}The commands, from dvc.yaml:\n\n```text\n{shown}\n```"
    )


def _truth(dataset: str, origin: Origin, counts: DatasetCounts, params: Params) -> str:
    rows = [
        (
            name,
            counts.pairs[shared, True] + counts.pairs[shared, False],
            counts.pairs[shared, True],
            counts.pairs[shared, False],
        )
        for name, shared in (("shared", True), ("not shared", False))
    ]
    method = params.validate_.method[dataset]
    criteria = _VALIDATED[method].format(**params.validate_.model_dump())
    return (
        "## Truth, and its doubts\n\n"
        "A row of `truth` is a pair of subflows from a moment on. Its label, `shared`, is that of the topology that was"
        f" built: whether both have the same link as their bottleneck. It is valid (`valid`) if {criteria}. In"
        " windows and tiles, `shared` is null where the label is not valid.\n\n"
        f"{_table(('label', 'rows', 'valid', 'not valid'), rows)}\n\n"
        f"{_bullets(origin.doubts)}"
    )


def _sizes(files: Sequence[TableFile], counts: DatasetCounts) -> str:
    controllers = ", ".join(f"`{name}` {number}" for name, number in sorted(counts.controllers.items()))
    windows = ", ".join(f"{number} {rule} ({name})" for (rule, name), number in sorted(counts.windows.items()))
    return (
        "## Sizes and digests\n\n"
        f"- {counts.connections} connections of {counts.duration_s:.0f} s together, {counts.subflows} subflows.\n"
        f"- Connections by the sender's controller: {controllers or 'none'}.\n"
        f"- Windows by rule and label: {windows or 'none'}.\n"
        f"- Records that the parser refused: {counts.refused}, each a row of `quarantine`.\n\n"
        + _table(
            ("file", "a row is", "rows", "bytes", "SHA-256"),
            [(f"`{file.name}`", file.table.grain, file.rows, file.size_bytes, f"`{file.sha256}`") for file in files],
        )
    )


def _columns(file: TableFile) -> str:
    def nulls(column: Column) -> str:
        return "" if not column.nullable else str(file.nulls.get(column.name, 0))

    rows = [
        (
            f"`{column.name}`",
            column.dtype,
            column.unit,
            value_range(column),
            nulls(column),
            column.meaning,
            column.source,
        )
        for column in file.table.columns
    ]
    return (
        f"### {file.table.name}\n\nKey: {', '.join(f'`{name}`' for name in file.table.key)}; {file.rows} rows.\n\n"
        f"{_table(('column', 'type', 'unit', 'values', 'null rows', 'meaning', 'source'), rows)}"
    )


def card(
    dataset: str, origin: Origin, files: Sequence[TableFile], counts: DatasetCounts, making: Making, params: Params
) -> str:
    """Return the card of a dataset.

    Parameters
    ----------
    dataset : str
    origin : Origin
    files : sequence of TableFile
        Its tables.
    counts : DatasetCounts
    making : Making
    params : Params

    Returns
    -------
    str
        Markdown.
    """
    use = "evaluation alone" if dataset in params.evaluation_only else "training and test"
    return (
        "\n\n".join(
            [
                f"# {dataset}",
                origin.what,
                _table(
                    ("licence", "use", "metadata"),
                    [(licence_line(origin.licence, "../.."), use, "[croissant.json](croissant.json), Croissant 1.0")],
                ),
                _made(dataset, origin, making, params),
                _truth(dataset, origin, counts, params),
                _sizes(files, counts),
                f"## What it is not for\n\n{_bullets(origin.not_for)}",
                "## Columns\n\nNull means not observed; zero is a measurement. Times are the input's own clock.",
                *map(_columns, files),
            ]
        )
        + "\n"
    )
