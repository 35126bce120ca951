"""PHP."""

from cairn.languages.php.language import LANGUAGE

__all__ = ["LANGUAGE"]
