"""Fitted models: on disk, by name, and ready to judge."""

import warnings

# Of tslearn, for a file format that is not used here. It is imported where nearest neighbours are fitted or loaded,
# and both come by here first.
warnings.filterwarnings("ignore", message="h5py not installed")
