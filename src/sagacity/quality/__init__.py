"""How good retrieval is on the owner's own data: questions of known evidence, what they find, and what changed."""
