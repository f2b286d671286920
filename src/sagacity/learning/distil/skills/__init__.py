"""Distil clusters of user playbooks into skills: instructions that any agent can follow."""
