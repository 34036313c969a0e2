"""isl, asked carefully: a question that is too hard within its effort gets the cautious answer.

Texts come from formulas.py; nothing here knows loops or arrays.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

import islpy as isl

LARGEST_EFFORT = 100_000  # isl operations for one question, at most about a second


@contextmanager
def limited() -> Iterator[None]:
    """Bound isl's work; it raises isl.Error past the bound."""
    context = isl.DEFAULT_CONTEXT
    context.reset_operations()
    context.set_max_operations(LARGEST_EFFORT)
    try:
        yield
    finally:
        context.set_max_operations(0)
        context.reset_operations()


@lru_cache(maxsize=1 << 14)  # a rewritten program asks most questions of the one before again
def is_empty(text: str) -> bool:
    """Whether isl proves the set empty; a set too hard to decide counts as not empty."""
    try:
        with limited():
            return bool(isl.Set(text).is_empty())
    except isl.Error:
        return False


def fixed_values(text: str, count: int) -> list[int | None]:
    """For each dimension, the number that it has in every point of the set, or None."""
    try:
        with limited():
            hull = isl.Set.from_basic_set(isl.Set(text).affine_hull())
            values = [hull.plain_get_val_if_fixed(isl.dim_type.set, k) for k in range(count)]
    except isl.Error:
        return [None] * count
    return [None if value.is_nan() else int(value.to_python()) for value in values]


def points(text: str, largest: int = 64) -> list[tuple[int, ...]] | None:
    """The points of a finite set without parameters in it; None when there are too many or no end of them."""
    try:
        with limited():
            members = isl.Set(text).project_out_all_params()
            if not members.is_bounded() or int(members.count_val().to_python()) > largest:
                return None
            found: list[tuple[int, ...]] = []
            members.foreach_point(lambda p: found.append(_coordinates(p, members.dim(isl.dim_type.set))))
            return found
    except isl.Error:
        return None


def _coordinates(point: isl.Point, count: int) -> tuple[int, ...]:
    return tuple(int(point.get_coordinate_val(isl.dim_type.set, k).to_python()) for k in range(count))
