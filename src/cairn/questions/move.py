"""What a move takes beside its place, declared once for the command and for Python."""

from cairn.questions.parameters import Parameter

TARGET = Parameter(
    "target", "string", "the file that it goes to; made if it is not there", metavar="FILE", is_path=True
)
