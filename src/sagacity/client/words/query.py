# Generated from the API's description by scripts/sdk; change it there.
"""Closed sets of words, as members of their enumerations or as plain text."""

from typing import Literal

from sagacity.domain.query import Ranking, SearchMode, StrategyName

RankingWord = Ranking | Literal["blended", "rrf", "weighted"]
SearchModeWord = SearchMode | Literal["vector", "fts", "hybrid"]
StrategyNameWord = StrategyName | Literal["vector", "keyword", "graph", "profile", "recent"]
