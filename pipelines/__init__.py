"""One thin module per stage of dvc.yaml; the listing is the DAG."""

import os

# Results must not depend on how a library splits its work over threads; set before one of them is loaded.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[_variable] = "1"
