"""Contexts: which files are understood together, by what manifests, and who answers for a file."""

from cairn.semantic.contexts.discover import Discovery, discover
from cairn.semantic.contexts.families import FAMILIES, Family, family_of
from cairn.semantic.contexts.owners import Owners, Router, claims
from cairn.semantic.contexts.probe import is_valid, probe, probe_all
from cairn.semantic.contexts.survey import Survey, survey
from cairn.semantic.contexts.tree import TextTree, ViewTree
from cairn.semantic.contexts.values import (
    AMBIENT,
    DETACHED,
    EMPTY,
    FAILED,
    PACKAGE,
    VALID,
    WORKSPACE,
    Context,
    ContextTree,
    Fault,
    Probe,
)

__all__ = [
    "AMBIENT",
    "DETACHED",
    "EMPTY",
    "FAILED",
    "FAMILIES",
    "PACKAGE",
    "VALID",
    "WORKSPACE",
    "Context",
    "ContextTree",
    "Discovery",
    "Family",
    "Fault",
    "Owners",
    "Probe",
    "Router",
    "Survey",
    "TextTree",
    "ViewTree",
    "claims",
    "discover",
    "family_of",
    "is_valid",
    "probe",
    "probe_all",
    "survey",
]
