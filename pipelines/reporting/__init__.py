"""Contents and format of the reports, the documents and the page."""
