"""Versioned prompt files, and what renders them."""
