"""Read users' logs window by window: which windows are due, which are worth reading, and what each teaches."""
