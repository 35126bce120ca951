"""Daemons and trees for these tests: those of the HTTP surface."""

from tests.surfaces.http.conftest import home, one_place_for_settings, shared, shared_home, shared_tree, tree

__all__ = ["home", "one_place_for_settings", "shared", "shared_home", "shared_tree", "tree"]
