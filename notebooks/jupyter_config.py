"""What `make lab` and `make notebooks` ask of Jupyter: loopback alone, nothing looked up, outputs that repeat."""

c = get_config()  # noqa: F821 - Jupyter puts it there

c.ServerApp.ip = "127.0.0.1"
c.ServerApp.open_browser = False
c.LabApp.news_url = None
c.LabApp.check_for_updates_class = "jupyterlab.NeverCheckForUpdate"
c.LabApp.extension_manager = "readonly"

c.ExecutePreprocessor.record_timing = False
# Of the metadata, what names the kernel; Python's patch level is the machine's.
c.ClearMetadataPreprocessor.enabled = True
c.ClearMetadataPreprocessor.preserve_nb_metadata_mask = {("kernelspec",), ("language_info", "name")}
