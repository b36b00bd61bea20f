"""The commands of ``sbd``, in groups. Each is one module here and one entry in :data:`GROUPS`.

Nothing is imported here that takes time: the first page of help and the version are there at once.
"""

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
        What it does, in one line of the first page.
    examples : tuple of str
        Command lines that its help shows; tests parse them all, and run those that take little.
    anywhere : bool
        Whether it works outside of the project's folder.
    """

    name: str
    sentence: str
    examples: tuple[str, ...]
    anywhere: bool = False

    @property
    def module(self) -> str:
        """Name of its module, which has ``add_arguments`` and ``run`` as a stage has."""
        return f"smartsbd.pipelines.commands.{self.name.replace('-', '_')}"


_LOG = "data/samples/kernel/inputs/101.state.csv.zst"
_CAPTURE = "data/samples/kernel_captures/inputs/102.sf0.pcap.zst"
#: The command that runs stages.
STAGE = "stage"

GROUPS: dict[str, tuple[Command, ...]] = {
    "Ask": (
        Command(
            "detect",
            "Say of each pair of subflows whether they share a bottleneck.",
            (
                f"sbd detect {_LOG}",
                "sbd detect --json wlan0.pcap wwan0.pcap",
                "sbd detect --together --plot verdict.png wlan0.ping wwan0.ping",
                f"sbd detect --model rfc8382 {_LOG}",
                "sbd detect --live events.txt",
            ),
            anywhere=True,
        ),
        Command(
            "why",
            "Say what limits each second of a connection and its subflows.",
            ("sbd why wlan0.pcap wwan0.pcap", f"sbd why --json {_CAPTURE}"),
            anywhere=True,
        ),
        Command(
            "inspect",
            "Show what a log or capture holds, and what was refused.",
            (f"sbd inspect {_CAPTURE}", "sbd inspect --plot page wlan0.pcap wwan0.pcap", "sbd inspect captures/"),
            anywhere=True,
        ),
        Command(
            "doctor",
            "Test two of your own paths: do they share a bottleneck?",
            (
                "sbd doctor --path wlan0 --path wwan0 --download https://server.example/large --plan",
                "sbd doctor --path wlan0 --path wwan0 --download https://server.example/large --out test",
                "sbd doctor --from test",
            ),
            anywhere=True,
        ),
    ),
    "Record": (
        Command(
            "record",
            "Log MPTCP's subflows on this machine (make kernel builds it).",
            (
                "sbd record --no-addresses --out trace.log",
                "sbd record --format state --out traces --seconds 60 --port 443",
            ),
            anywhere=True,
        ),
        Command(
            "kernel",
            "Couple subflows by verdicts in the kernel (make kernel builds it).",
            ("sbd kernel load", "sbd kernel status --json", "sbd kernel unload"),
            anywhere=True,
        ),
        Command(
            "testbed",
            "Make labelled connections of a kernel (make testbed builds it).",
            (
                "sbd testbed testbed/examples/shared.json testbed/examples/separate.json --out made",
                "sbd testbed --dataset wide_linux --out made --jobs 4 --judge",
            ),
        ),
    ),
    "Own data": (
        Command(
            "parse",
            "Write tables of logs or captures, for pandas and DuckDB.",
            (f"sbd parse {_CAPTURE} --out tables", "sbd parse wlan0.pcap wwan0.pcap --out tables --name mine"),
            anywhere=True,
        ),
        Command(
            "new-dataset",
            "Make a dataset of logs or captures with labels, and check it.",
            (
                "sbd new-dataset captures/ --labels labels.csv --name mine",
                "sbd new-dataset captures/ --labels labels.csv --name mine --evaluate",
            ),
        ),
        Command(
            "score",
            "Score models, or your own detector, on labelled connections.",
            (
                "sbd score captures/ --labels labels.csv",
                'sbd score --detector "python3 docs/foreign-detectors/ewma.py" --html card.html',
                'sbd score recordings/ --labels labels.csv --detector "python3 docs/foreign-detectors/ewma.py"',
                "sbd score --locked",
            ),
            anywhere=True,
        ),
        Command(
            "benchmark",
            "Show the tasks of the benchmark, and run one with a detector.",
            (
                "sbd benchmark list",
                "sbd benchmark run kernel-1 lag-excess",
                'sbd benchmark run kernel-1 "python3 docs/foreign-detectors/ewma.py"',
            ),
            anywhere=True,
        ),
        Command(
            "publish",
            "Write the folder to deposit: datasets, cards, licences.",
            ("sbd publish deposit", "sbd publish deposit --url https://example.org/records/1"),
        ),
    ),
    "Pipeline": (
        Command(
            "repro",
            "Run the pipeline with DVC, and print each stage's time.",
            ("sbd repro", "sbd repro quick", "sbd repro default evaluate"),
        ),
        Command(
            "run", "Show the run in MLflow that made a header's model.", ("sbd run export/generated/sbd_tree_paper.h",)
        ),
        Command("ui", "Serve MLflow's page on loopback, and print its address.", ("sbd ui --port 5001",)),
        Command(
            STAGE,
            "Run a stage by its NAME; without a NAME, list the stages.",
            ("sbd stage", "sbd stage search --dataset sites", "sbd stage rank --help"),
        ),
    ),
    "Maintain": (
        Command(
            "dictionary",
            "Write data/README.md from the tables.",
            ("sbd dictionary", "sbd dictionary --check"),
        ),
        Command(
            "excerpts",
            "Rewrite the tables that documents take from the reports.",
            ("sbd excerpts", "sbd excerpts --check"),
        ),
    ),
}

COMMANDS: tuple[Command, ...] = tuple(command for group in GROUPS.values() for command in group)

#: What is typed now in place of commands that there were.
REPLACED = {"scorecard": "score --detector", "score-locked": "score --locked"}
