"""What many users taught becomes one playbook for all: cluster → lineage → plan → write up → commit."""
