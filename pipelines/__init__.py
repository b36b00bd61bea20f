"""The pipeline and the program ``sbd``: stages, commands, and what they run with."""

import os

# Results must not depend on how a library splits its work over threads; set before one of them is loaded.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[_variable] = "1"
# There are no plugins of pydantic; looking for them opens a file of every package installed.
os.environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"
