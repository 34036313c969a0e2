"""Names that nothing else has."""

from __future__ import annotations

from collections.abc import Set

from cudaperf_magic.compiler.loops import Name


def fresh_name(name: str, taken: Set[str]) -> str:
    """`name`, or `name2`, `name3`, ...: the first that is not taken."""
    number, found = 2, name
    while found in taken:
        found, number = f"{name}{number}", number + 1
    return found


def taken_name(name: str, taken: set[str]) -> str:
    """A fresh name, taken from now on."""
    found = fresh_name(name, taken)
    taken.add(found)
    return found


def unused_name(name: str, taken: Set[str]) -> Name:
    """A fresh variable near a name."""
    return Name(fresh_name(name, taken))
