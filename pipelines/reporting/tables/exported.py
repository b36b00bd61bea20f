"""Tables of the models that are exported as C."""

from __future__ import annotations

from smartsbd.pipelines.reporting.report_files import read_json
from smartsbd.pipelines.reporting.tables.cell import Results, Rows


def exported(results: Results) -> Rows:
    """Size of each exported model, and the rows on which its C and its file decide as the model does."""
    return [
        {
            "header": name,
            "features": len(entry["features"]),
            "layout": entry["layout"],
            "bytes of text": entry["header_bytes"],
            "bytes of the file": entry["file_bytes"],
            "trees": entry["trees"],
            "splits": entry["splits"],
            "leaves": entry["leaves"],
            "depth": entry["depth"],
            "all agree on windows / predictions / generated rows": " / ".join(
                str(entry["rows_agreeing_all"][name]) for name in ("windows", "predictions", "generated")
            ),
        }
        for name, entry in read_json(results.reports / "export.json").items()
    ]


def proved(results: Results) -> Rows:
    """Return what the C computed of the signals of every connection, all of it as the pipeline does."""
    return [
        {
            "dataset": path.stem,
            "connections": report["connections"],
            "windows": report["windows"],
            "values of features": report["feature_values"],
            **{f"decisions of {name}": count for name, count in report["decisions"].items()},
        }
        for path in sorted((results.reports / "prove").glob("*.json"))
        for report in [read_json(path)]
    ]
