"""Tables of what is exported as C."""

from __future__ import annotations

from smartsbd.pipelines.reporting.report_files import read_json
from smartsbd.pipelines.reporting.tables.cell import Results, Rows


def exported(results: Results) -> Rows:
    """Size of each exported model, and the rows on which its C and its file decide as the model does."""
    return [
        {
            "header": name,
            "features": len(one["features"]),
            "layout": one["layout"],
            "bytes of text": one["header_bytes"],
            "bytes of the file": one["file_bytes"],
            "trees": one["trees"],
            "splits": one["splits"],
            "leaves": one["leaves"],
            "depth": one["depth"],
            "all agree on windows / predictions / generated rows": " / ".join(
                str(one["rows_agreeing_all"][name]) for name in ("windows", "predictions", "generated")
            ),
        }
        for name, one in read_json(results.reports / "export.json").items()
    ]


def proved(results: Results) -> Rows:
    """Return what the C computed of the signals of every connection, all of it as the pipeline does."""
    return [
        {
            "dataset": path.stem,
            "connections": found["connections"],
            "windows": found["windows"],
            "values of features": found["feature_values"],
            **{f"decisions of {name}": count for name, count in found["decisions"].items()},
        }
        for path in sorted((results.reports / "prove").glob("*.json"))
        for found in [read_json(path)]
    ]
