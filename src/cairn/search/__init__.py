"""From a query to places in order."""

from cairn.search.allowed import allowed_files
from cairn.search.find import Findings, Found, find
from cairn.search.grep import Match, Matches, grep
from cairn.search.pattern import Pattern, parse_literal, parse_regex
from cairn.search.query import Filters, Query, parse_query
from cairn.search.ranking import RANKING_VERSION, WEIGHTS, weights_without

__all__ = [
    "RANKING_VERSION",
    "WEIGHTS",
    "Filters",
    "Findings",
    "Found",
    "Match",
    "Matches",
    "Pattern",
    "Query",
    "allowed_files",
    "find",
    "grep",
    "parse_literal",
    "parse_query",
    "parse_regex",
    "weights_without",
]
