"""What a move takes beside its place, declared once for every door."""

from cairn.questions.parameters import Parameter

TO_FILE = Parameter("to_file", "string", "the file that it moves to", metavar="FILE", is_path=True)
