"""One thin module per stage of dvc.yaml; the listing is the DAG."""
