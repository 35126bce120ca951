"""The version of the ranking: part of the fingerprint of a question."""

RANKING_VERSION = "8"
