"""What limits each second of a connection and of its subflows: pure functions over what a reader gives."""
