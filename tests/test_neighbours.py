"""Shapes beside the measured one: close to it, no larger than it can be, and none twice."""

from __future__ import annotations

import pytest
from corpus import load_corpus

from cudaperf_magic.tasks.c import read_task
from cudaperf_magic.tasks.neighbours import MOST, neighbours, prime_below
from cudaperf_magic.tasks.work import estimated_steps

CORPUS = {one.path: one for one in load_corpus()}
TRANSPOSE = """void transpose(int n, int m, const float a[n][m], float b[m][n]) {
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) b[j][i] = a[i][j]; }"""


def test_each_extent_is_tried_one_less_and_one_more_and_as_a_prime() -> None:
    task, function = read_task(TRANSPOSE)
    n = task.cases[0].size["n"]
    shapes = {(case.size["n"], case.size["m"]) for case in neighbours(task, function)}
    assert {(n - 1, n), (n, n - 1), (n + 1, n), (n, n + 1), (n // 2, 2 * n)} <= shapes
    assert any(prime_below(n) == a == b for a, b in shapes)


def test_a_distance_between_rows_stays_at_least_a_row() -> None:
    source = """void scale(int n, int m, int ld, float a[(n - 1) * ld + m]) {
        for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i * ld + j] *= 2.0f; }"""
    task, function = read_task(source)
    found = neighbours(task, function)
    assert found and all(case.size["ld"] >= case.size["m"] for case in found)


@pytest.mark.parametrize("path", [path for path, one in CORPUS.items() if one.decision == "translate"])
def test_neighbours_of_the_corpus_are_few_distinct_and_no_heavier(path: str) -> None:
    one = CORPUS[path]
    folders = (str(one.file.parent),)
    task, function = read_task(one.source, entry=one.entry, sizes=one.size, ranges=one.ranges, folders=folders)
    found = neighbours(task, function)
    assert len(set(found)) == len(found) <= MOST
    assert task.cases[0] not in found
    most = max(1.25 * estimated_steps(function, task.cases[0].size), 200_000)
    assert all(estimated_steps(function, case.size) <= most for case in found)
    has_size = any(value > 1 for _, value in task.cases[0].sizes)
    assert found or not has_size or one.size or "[" not in one.source or path == "stencils/global_grid.c"


def test_primes_are_prime() -> None:
    assert [prime_below(k) for k in (2, 3, 10, 512, 65536)] == [2, 2, 7, 509, 65521]
