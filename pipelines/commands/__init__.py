"""The commands of ``sbd`` that are not stages. Each is one module here and one line in :data:`COMMANDS`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Command:
    """A command.

    Attributes
    ----------
    name : str
        As it is typed.
    sentence : str
        What it does.
    anywhere : bool
        Whether it works outside of the project's folder.
    """

    name: str
    sentence: str
    anywhere: bool = False

    @property
    def module(self) -> str:
        """Name of its module, which has ``add_arguments`` and ``run`` as a stage has."""
        return f"smartsbd.pipelines.commands.{self.name.replace('-', '_')}"


COMMANDS: tuple[Command, ...] = (
    Command(
        "inspect",
        "Show what a log or capture holds: connections, subflows, RTTs, losses, states, refused records.",
        anywhere=True,
    ),
    Command(
        "detect",
        "Say for each pair of subflows in a log or capture whether they share a bottleneck.",
        anywhere=True,
    ),
    Command("why", "Say what limits each second of a connection and of its subflows.", anywhere=True),
    Command(
        "parse",
        "Write the tables of logs or captures into the folder --out. Without --out, run the stage parse.",
        anywhere=True,
    ),
    Command(
        "doctor",
        "Test two of your own paths, each alone, then both, and say whether they share a bottleneck.",
        anywhere=True,
    ),
    Command("record", "Log the subflows of MPTCP connections on this machine (built by make kernel).", anywhere=True),
    Command(
        "kernel",
        "Couple MPTCP's subflows by verdicts in this kernel: load, unload, status, model (built by make kernel).",
        anywhere=True,
    ),
    Command(
        "testbed", "Make labelled MPTCP connections of this machine's kernel from scenarios (built by make testbed)."
    ),
    Command("new-dataset", "Make a dataset from a folder of logs or captures and a file of labels, and check it."),
    Command("score", "Score every stored model on a folder of labelled logs or captures."),
    Command("score-locked", "Score the models on the locked half of the kernel's connections, once for each release."),
    Command(
        "scorecard",
        "Judge somebody else's detector on labelled connections, beside ours: accuracy, coverage, delay, false sharing"
        ", and what may be wrong with its inputs.",
        anywhere=True,
    ),
    Command("publish", "Write the folder to deposit: datasets, their cards and metadata, licences, digests."),
    Command(
        "benchmark",
        "Run a benchmark task with a detector (run), show the tasks (list), or make a task's folder (folder, name).",
        anywhere=True,
    ),
    Command("dictionary", "Write data/README.md from the tables."),
    Command(
        "excerpts",
        "Rewrite the tables that README.md, docs/ and studies/ take from the reports, and the graph of the stages.",
    ),
    Command("repro", "Run the pipeline with DVC, and print the time of each stage."),
    Command("run", "Show the run in MLflow that made a header's model."),
    Command("ui", "Serve MLflow's page on loopback, and print the address of the runs."),
)
