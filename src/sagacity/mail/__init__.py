"""E-mail: the texts, and how they are sent."""
