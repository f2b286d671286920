"""Distil user playbooks into agent playbooks and skills: read → cluster → lineage → plan → write → commit."""
