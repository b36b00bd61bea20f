"""Pure functions: two subflows' signals in, numbers out, integers where they are exported. No truth or file is read."""
