"""From a query to rows in order."""

from cairn.search.lexical import Found, search_lexical

__all__ = ["Found", "search_lexical"]
