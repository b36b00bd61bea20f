"""The rules by which captures are read, in plain Python, step by step: what the compiled parser is held to."""
