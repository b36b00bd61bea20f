"""What `make lab` and `make notebooks` ask of Jupyter: loopback alone, nothing looked up, outputs that repeat."""

from typing import Any


def without_announcements(_handler: Any, page: dict[str, Any]) -> dict[str, Any]:
    """Leave out what asks whether news may be fetched, though there are none to fetch."""
    page["disabledExtensions"] = [*page.get("disabledExtensions", []), "@jupyterlab/apputils-extension:announcements"]
    return page


c = get_config()  # noqa: F821 - Jupyter puts it there

c.ServerApp.ip = "127.0.0.1"
c.ServerApp.open_browser = False
# In a container everything is root's, the pipeline too.
c.ServerApp.allow_root = True
c.ServerApp.tornado_settings = {"page_config_hook": without_announcements}
c.LabApp.news_url = None
c.LabApp.check_for_updates_class = "jupyterlab.NeverCheckForUpdate"
c.LabApp.extension_manager = "readonly"

c.ExecutePreprocessor.record_timing = False
# Of the metadata, what names the kernel; Python's patch level is the machine's.
c.ClearMetadataPreprocessor.enabled = True
c.ClearMetadataPreprocessor.preserve_nb_metadata_mask = {("kernelspec",), ("language_info", "name")}
