"""Answers as they go to the client, and such that stay within a number of bytes."""

import json
import os
from collections.abc import Callable
from typing import Any

from cairn.base.errors import UsageError
from cairn.kernel.tokens import token_cost_of
from cairn.lifecycle.freshness import LOOKED

Answer = dict[str, Any]
_TIME = 10
BODY = "body"
"""What an answer says, as one text; what is around it is said at its end."""


def text_of(answer: Answer) -> str:
    """What a client gets: names on disk may hold bytes that are no text, what is sent is valid UTF-8."""
    text = _with_end(answer) if BODY in answer else json.dumps(answer, ensure_ascii=False)
    return text.encode("utf-8", "replace").decode()


def _with_end(answer: Answer) -> str:
    """The body, and below it once what to know of it: what was left out, what it rests on."""
    lines = [answer[BODY]]
    if "more" in answer:
        lines.append(f"{answer['more']} more: continuation {answer['continuation']}")
    lines += [f"warning: {sentence}" for sentence in answer.get("warnings", ())]
    hints = answer.get("hints", {}) | ({"next": answer["nextAction"]} if "nextAction" in answer else {})
    lines += [f"{name}: {call_of(hint)}" for name, hint in hints.items()]
    lines += [f"read: {answer['readMode']}"] if "readMode" in answer else []
    fresh = answer.get("freshness", {})
    decision = f"of commit {fresh['commit'][:12]}" if "commit" in fresh else fresh.get("decision", "")
    decision += f" at {fresh['remote']}" if "remote" in fresh else ""
    root = os.path.basename(answer.get("codebaseRoot", ""))
    # That an answer speaks of the tree as it is goes without saying.
    parts = [answer["status"], root, _snapshot(answer), decision if decision not in LOOKED else ""]
    parts += [
        f"{each['codebaseRoot']} {each.get('message') or _snapshot(each)}" for each in answer.get("codebases", ())
    ]
    lines.append(f"[{', '.join(filter(None, parts))}]")
    return "\n".join(lines)


def call_of(hint: Any) -> str:
    """A hint as it is called: the tool and its arguments; what is no call as it is."""
    is_call = isinstance(hint, dict) and hint.keys() == {"tool", "args"}
    said = json.dumps(hint["args"] if is_call else hint, ensure_ascii=False)
    return f"{hint['tool']} {said}" if is_call else said


def _snapshot(answer: Answer) -> str:
    """The part of its id that tells it from others of its codebase: when it was made, to the millisecond."""
    return str(answer.get("snapshotId") or "")[:_TIME]


def size_of(answer: Answer) -> int:
    """The bytes of an answer as it is sent."""
    return len(text_of(answer).encode())


def fitted(build: Callable[[int], Answer], count: int, most: int, *, budgeted: bool = True) -> Answer:
    """What `build` makes of as many items as there is room for; a text is `budgeted` where its tool takes a budget.

    Always one at least, since an empty page would lead nowhere; UsageError where there is no room for it.
    """
    whole = build(count)
    if size_of(whole) <= most:
        return whole
    fewest = min(count, 1)
    best = build(fewest)
    least = size_of(best)
    if least > most:
        if BODY in best and budgeted:
            raise UsageError(
                f"budget_tokens = {token_cost_of(most)} is too small for this answer.",
                hint=f"Give {token_cost_of(least)} or more.",
            )
        raise UsageError(f"max_bytes = {most} is too small for this answer.", hint=f"Give {least} or more.")
    low, high = fewest, count
    while high - low > 1:
        middle = (low + high) // 2
        found = build(middle)
        if size_of(found) <= most:
            low, best = middle, found
        else:
            high = middle
    return best
