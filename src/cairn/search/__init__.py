"""From a query to places in order."""

from cairn.search.find import Findings, Found, find
from cairn.search.query import Filters, Query, parse_query
from cairn.search.ranking import RANKING_VERSION, WEIGHTS, weights_without

__all__ = [
    "RANKING_VERSION",
    "WEIGHTS",
    "Filters",
    "Findings",
    "Found",
    "Query",
    "find",
    "parse_query",
    "weights_without",
]
