"""Last verdicts where bottlenecks replay recorded links."""
