"""Names in nested `{ }` of a PTX function, which may hide outer ones: each becomes unique. It reads no statement."""

from __future__ import annotations

from collections.abc import Iterator


class Scopes:
    """The scopes that are open, innermost last. Names of the function itself stay as they are."""

    def __init__(self) -> None:
        self.count = 0
        self.open: list[tuple[int, dict[str, str]]] = [(0, {})]

    def enter(self, labels: Iterator[str]) -> None:
        """Opens a scope; its labels are known from its start, since branches go forwards."""
        self.count += 1
        self.open.append((self.count, {label: f"{label}@{self.count}" for label in labels}))

    def leave(self) -> None:
        self.open.pop()

    def declare(self, name: str) -> str:
        number, names = self.open[-1]
        if len(self.open) == 1:
            return name
        names[name] = f"{name}@{number}"
        return names[name]

    def renamed(self, name: str) -> str:
        return next((names[name] for _, names in reversed(self.open) if name in names), name)


def labels_ahead(tokens: list[tuple[str, str]], at: int) -> Iterator[str]:
    """The labels of the scope whose first token is number `at`, without those of scopes within it."""
    depth = 0
    while at + 1 < len(tokens) and depth >= 0:
        text = tokens[at][1]
        depth += (text == "{") - (text == "}")
        if depth == 0 and tokens[at][0] == "word" and tokens[at + 1][1] == ":":
            yield text
        at += 1
