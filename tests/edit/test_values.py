"""The words of a rename are those of its page."""

from cairn.edit.plans import TTL_S
from cairn.edit.source import values
from tests.test_docs import page, table

STATUSES = {values.OK, values.OK_SYNTACTIC, values.NEEDS_DECISION, values.BLOCKED, values.REFUSED}


def test_every_status_and_choice_is_on_the_page_with_its_exit_code() -> None:
    told = {row[0]: row[2] for row in table(page("rename.md"), "status")}
    assert told == {status: "0" if status in values.APPLICABLE else "5" for status in STATUSES}
    assert [row[0] for row in table(page("rename.md"), "choice")] == list(values.CHOICES)
    assert "five minutes" in page("rename.md")
    assert TTL_S == 5 * 60
