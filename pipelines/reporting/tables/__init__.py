"""The reports as tables of text, by section, for the documents and for the page."""
