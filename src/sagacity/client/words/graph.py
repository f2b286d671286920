# Generated from the API's description by scripts/sdk; change it there.
"""Closed sets of words, as members of their enumerations or as plain text."""

from typing import Literal

from sagacity.domain.graph import EntityType

EntityTypeWord = (
    EntityType
    | Literal[
        "person",
        "organization",
        "location",
        "project",
        "concept",
        "event",
        "product",
        "skill",
        "interest",
        "goal",
        "date",
        "animal",
        "other",
    ]
)
