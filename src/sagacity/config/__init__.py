"""Choices: of this process, and of one tenant."""
