"""placeholder"""

from __future__ import annotations


def expand(source: str) -> str:
    return source
