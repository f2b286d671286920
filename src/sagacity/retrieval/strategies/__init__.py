"""The search strategies, one file each."""

from collections.abc import Mapping

from sagacity.domain.query import StrategyName
from sagacity.retrieval.strategies import graph, keyword, profile, recent, vector
from sagacity.retrieval.strategies.base import Strategy

STRATEGIES: Mapping[StrategyName, Strategy] = {
    StrategyName.VECTOR: vector.find,
    StrategyName.KEYWORD: keyword.find,
    StrategyName.GRAPH: graph.find,
    StrategyName.PROFILE: profile.find,
    StrategyName.RECENT: recent.find,
}
