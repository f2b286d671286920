"""What many users taught becomes one agent playbook for all, once a person approves it."""
