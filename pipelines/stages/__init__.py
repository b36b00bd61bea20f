"""The stages of dvc.yaml, one thin module each: read tables, call the logic, write tables and reports."""
