"""A person's words in a reflection. What a policy makes of them is the policy's business."""

from __future__ import annotations

from cudaperf_magic.errors import UsageError
from cudaperf_magic.reflection.words import MOST_CHARACTERS, fit

MOST_HINT_CHARACTERS = 400
HINT = "The person says: "


def read_hint(text: str) -> str:
    """A person's hint as one line.

    Raises:
        UsageError: it is longer than a reflection has room for.
    """
    words = " ".join(text.split())
    if len(words) > MOST_HINT_CHARACTERS:
        raise UsageError(f"a hint has at most {MOST_HINT_CHARACTERS} characters, not {len(words)}: say it shorter")
    return words


def with_hint(reflection: str, words: str) -> str:
    """A reflection that begins with a person's hint, in the place of an earlier one; as long as any other at most."""
    rest = reflection.splitlines()
    if rest and rest[0].startswith(HINT):
        del rest[0]
    head = f"{HINT}{words}"
    while rest and len("\n".join((head, *rest))) > MOST_CHARACTERS:
        del rest[-1]  # what comes last matters least
    return fit([head, "\n".join(rest)])
