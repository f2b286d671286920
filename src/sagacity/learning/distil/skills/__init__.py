"""Clusters of user playbooks become skills: instructions that any agent can follow."""
