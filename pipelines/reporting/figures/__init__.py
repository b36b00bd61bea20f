"""Every figure of the report and the notebooks, drawn here and nowhere else; the same data gives the same bytes."""
