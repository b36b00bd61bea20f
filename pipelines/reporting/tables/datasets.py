"""Tables of the datasets: connections made, records read, pairs validated, windows cut."""

from __future__ import annotations

from collections.abc import Mapping

from smartsbd.pipelines.reporting.report_files import read_json
from smartsbd.pipelines.reporting.tables.cell import Results, Rows


def difficulty(results: Results) -> Rows:
    """Return how hard each dataset is."""
    rows: Rows = []
    for path in sorted((results.reports / "difficulty").glob("*.json")):
        report = read_json(path)
        row = {
            "dataset": path.stem,
            "connections": str(report["connections"]),
            "windows shared / not": f"{report['windows']['shared']} / {report['windows']['non_shared']}",
        }
        for name in ("pearson", "spearman"):
            separation = report.get(name)
            row[f"{name}: median shared / not"] = (
                f"{separation['median_shared']:.2f} / {separation['median_non_shared']:.2f}" if separation else ""
            )
            row[f"{name}: best balanced accuracy"] = (
                f"{separation['balanced_accuracy_at_best_threshold']:.3f}" if separation else ""
            )
        overlap = report.get("min_rtt_ratio_overlap")
        row["overlap of minimum-RTT ratios"] = "" if overlap is None else f"{overlap:.2f}"
        rows.append(row)
    return rows


def validity(results: Results, dataset: str) -> dict[tuple[str, str], dict[str, int]]:
    """Return how many pairs of subflows there are of each site and label, by verdict of the bottleneck validation."""
    path = results.reports / f"validate/{dataset}.json"
    counts: dict[tuple[str, str], dict[str, int]] = {}
    for key, count in (read_json(path)["by_site_and_label"] if path.is_file() else {}).items():
        site, label, verdict = key.rsplit("/", 2)
        counts.setdefault((site, label), {})[verdict] = count
    return counts


def validated(results: Results) -> Rows:
    """Return what the validation of bottlenecks leaves, per dataset and site."""
    rows: Rows = []
    for dataset in results.params.datasets:
        by_site_and_label = validity(results, dataset)
        for site in dict.fromkeys(site for site, _ in by_site_and_label):
            counts = {label: by_site_and_label.get((site, label), {}) for label in ("shared", "non-shared")}
            total = sum(sum(by_verdict.values()) for by_verdict in counts.values())
            dropped = sum(by_verdict.get("dropped", 0) for by_verdict in counts.values())
            row = {"dataset": dataset, "site": site}
            for label, by_verdict in counts.items():
                head = f"{label.replace('non-', 'not ')}: valid / dropped"
                row[head] = f"{by_verdict.get('valid', 0)} / {by_verdict.get('dropped', 0)}"
            rows.append(row | {"share dropped": f"{100 * dropped / total:.0f} %" if total else ""})
    return rows


def datasets(results: Results) -> Rows:
    """Return what each dataset is for, and how large it is."""
    rows = []
    for dataset in results.params.datasets:
        parsed, extracted = (read_json(results.reports / f"{stage}/{dataset}.json") for stage in ("parse", "extract"))
        counts = list(validity(results, dataset).values())
        windows = extracted["windows"]
        rows.append(
            {
                "dataset": dataset,
                "made by": "simulation" if dataset in results.params.simulated else "recording",
                "used for": "training and test" if dataset in results.params.search.datasets else "test alone",
                "connections": extracted["connections"],
                "pairs valid / all": f"{sum(by_verdict.get('valid', 0) for by_verdict in counts)} / "
                f"{sum(sum(by_verdict.values()) for by_verdict in counts)}",
                **{
                    f"{rule} windows shared / not": " / ".join(
                        str(windows.get(f"{rule}: {label}", 0)) for label in ("shared", "non-shared")
                    )
                    for rule in results.params.extract.rules
                },
                "records": f"{parsed['records_in']:,}",
                "records refused": parsed["records_quarantined"],
            }
        )
    return rows


def windows(results: Results) -> Rows:
    """Windows of each dataset and rule, and how many of them are out of the ordinary."""
    rows = []
    for dataset in results.params.datasets:
        window_counts = read_json(results.reports / f"extract/{dataset}.json")["windows"]
        for rule in results.params.extract.rules:
            of_rule = {
                key.removeprefix(f"{rule}: "): count
                for key, count in window_counts.items()
                if key.startswith(f"{rule}: ")
            }
            labels = {name: of_rule.pop(name, 0) for name in ("shared", "non-shared", "unlabelled")}
            rows.append({"dataset": dataset, "rule": rule, **labels, **of_rule})
    return rows


def refused(results: Results) -> Rows:
    """Return records and inputs that were not taken, per dataset."""
    rows = []
    for dataset in results.params.datasets:
        report = read_json(results.reports / f"parse/{dataset}.json")
        rows.append(
            {
                "dataset": dataset,
                "inputs": report["inputs"],
                "inputs not readable": report["inputs_unreadable"],
                "records": f"{report['records_in']:,}",
                "records refused": report["records_quarantined"],
                "share refused": f"{100 * report['records_quarantined'] / max(1, report['records_in']):.3f} %",
                "why": _counted(report["quarantined_by_reason"]),
                "read, in no table": _counted(report["records_unused"]),
                "other lines": report["other_lines"],
                "gaps / messages lost": f"{report['gaps']} / {report['messages_lost']}",
            }
        )
    return rows


def _counted(counts: Mapping[str, int]) -> str:
    return "; ".join(f"{name}: {count}" for name, count in counts.items())


def rejected(results: Results) -> Rows:
    """Windows that were not made, and connections without any, per dataset and reason."""
    rows = []
    for dataset in results.params.datasets:
        report = read_json(results.reports / f"extract/{dataset}.json")
        for what, counts in (
            ("windows", report["rejected_by_reason"]),
            ("connections without a window", report["connections_without_window"]),
        ):
            for reason, count in counts.items():
                of, _, why = reason.partition(": ")
                rows.append({"dataset": dataset, "what": what, "of": of, "reason": why, "count": count})
    return rows
