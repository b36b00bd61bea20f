"""Datasets as others get them: their origin and licence, a card and metadata for each, and the folder to deposit."""
