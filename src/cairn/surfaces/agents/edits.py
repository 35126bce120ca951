"""What all editors of settings files share: the text of a file, and one error."""

from cairn.base.values import dataclass

BOM = "\N{ZERO WIDTH NO-BREAK SPACE}"


class EditError(ValueError):
    """A text that can't be edited; the message is the reason, without the file's name."""


@dataclass(frozen=True, slots=True)
class SettingsText:
    """A text file's content, with the line ends and byte order mark that an edit must keep."""

    content: str
    newline: str = "\n"
    bom: bool = False

    def encode(self) -> bytes:
        """The bytes to write; EditError for text that is not valid Unicode."""
        try:
            return ((BOM if self.bom else "") + self.content).encode()
        except UnicodeEncodeError as error:
            raise EditError("what would be written into it is not Unicode") from error

    def with_content(self, content: str) -> "SettingsText":
        """Another content with the same line ends and byte order mark."""
        return SettingsText(content, self.newline, self.bom)


def decode(data: bytes) -> SettingsText:
    """The text of a file; EditError if it is not UTF-8."""
    try:
        content = data.decode()
    except UnicodeDecodeError as error:
        raise EditError(f"it is not UTF-8 (byte {error.start})") from error
    bom = content.startswith(BOM)
    content = content.removeprefix(BOM)
    end = content.find("\n")
    return SettingsText(content, "\r\n" if end > 0 and content[end - 1] == "\r" else "\n", bom)
