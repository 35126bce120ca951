"""Groovy, which Cairn has no grammar for."""

from cairn.languages.modules.rules import Jvm
from cairn.languages.record import Language

LANGUAGE = Language(name="groovy", modules=Jvm)
