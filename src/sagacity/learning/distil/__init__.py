"""What users taught is distilled: read → cluster → lineage → plan → write → commit, for agent playbooks and skills."""
