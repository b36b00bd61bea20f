"""What reports, documents and the page say, and how."""
