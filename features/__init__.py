"""Pure functions: two subflows' series in, integers out. Reads no truth, no file, no parameter."""
