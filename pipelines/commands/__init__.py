"""The commands of ``sbd`` beside the stages: a command is one module here, and one line."""

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
        It needs no project.
    """

    name: str
    sentence: str
    anywhere: bool = False

    @property
    def module(self) -> str:
        """Name of its module, which has ``add_arguments`` and ``run`` as a stage has."""
        return f"pipelines.commands.{self.name.replace('-', '_')}"


COMMANDS: tuple[Command, ...] = (
    Command(
        "inspect",
        "Show what a log or capture holds: connections, subflows, RTTs, losses, states, refused records.",
        anywhere=True,
    ),
    Command(
        "detect",
        "Say of each pair of subflows in a log or capture, window by window, whether they share a bottleneck.",
        anywhere=True,
    ),
    Command(
        "parse",
        "Write the tables of logs or captures: with --out; without, the stage of that name.",
        anywhere=True,
    ),
    Command("new-dataset", "Make a dataset of a folder of logs or captures and a file of labels, and check it."),
    Command("score", "Score every stored model on a folder of labelled logs or captures."),
    Command("score-locked", "Score the models on the locked half of the kernel's connections, once a release."),
    Command("dictionary", "Write data/README.md from the tables."),
    Command("excerpts", "Refresh the reports' excerpts in README.md and docs/."),
    Command("repro", "Run the pipeline with DVC, and say where the time went."),
    Command("run", "Show the run in MLflow that made a header's model."),
    Command("ui", "Serve MLflow's page on loopback, and print the address of the runs."),
)
