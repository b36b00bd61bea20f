"""The stages of dvc.yaml, one thin module for each: it reads tables, calls the logic, writes tables and reports."""
