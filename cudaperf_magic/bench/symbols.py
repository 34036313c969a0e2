"""The names in mangled symbols. It knows no types: what follows a name is left out."""

from __future__ import annotations


def written_name(symbol: str) -> str:
    """A function's name as the person wrote it, without types: `_ZN5Shape4areaEv` -> `Shape::area`."""
    at = 3 if symbol.startswith("_ZN") else 2
    names: list[str] = []
    while symbol.startswith("_Z") and symbol[at : at + 1].isdigit():
        end = at
        while symbol[end : end + 1].isdigit():
            end += 1
        length = int(symbol[at:end])
        names.append(symbol[end : end + length])
        at = end + length
        if symbol[2] != "N":
            break
    return "::".join(names) or symbol
