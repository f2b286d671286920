"""Distil what many users taught into one agent playbook for all, which a person approves."""
