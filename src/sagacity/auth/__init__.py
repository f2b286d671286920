"""Pure checks of who may do what."""
