"""What C files of the corpus should compute, said a second time and independently, in NumPy.

Each statement makes inputs and says the expected outputs. Nothing here reads or runs the C.
Scalars carry their C type as a NumPy scalar; a Python int is passed as np.int32 by `Statement.of`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.random import Generator

F32, F64, I32, I64, U8, U32 = np.float32, np.float64, np.int32, np.int64, np.uint8, np.uint32


@dataclass(frozen=True)
class Statement:
    """A call: arguments in the C function's order, expected outputs by argument place, expected return value."""

    arguments: tuple[Any, ...]
    outputs: dict[int, np.ndarray]
    result: Any = None

    @classmethod
    def of(cls, *arguments: Any, result: Any = None, **outputs: np.ndarray) -> Statement:
        """`a4=expected` says that argument 4 holds `expected` afterwards."""
        typed = tuple(I32(a) if isinstance(a, int) else a for a in arguments)
        return cls(typed, {int(name[1:]): np.asarray(value) for name, value in outputs.items()}, result)


STATEMENTS: dict[str, Callable[[Generator], Statement]] = {}


def states(path: str) -> Callable[[Callable[[Generator], Statement]], Callable[[Generator], Statement]]:
    def register(statement: Callable[[Generator], Statement]) -> Callable[[Generator], Statement]:
        STATEMENTS[path] = statement
        return statement

    return register


def reals(rng: Generator, *shape: int, dtype: Any = F64) -> np.ndarray:
    return rng.uniform(-1.0, 1.0, shape).astype(dtype)


def whole(rng: Generator, low: int, high: int, *shape: int, dtype: Any = I32) -> np.ndarray:
    return rng.integers(low, high, shape).astype(dtype)


def row_pointers(rng: Generator, rows: int, nnz: int) -> np.ndarray:
    return np.concatenate([[0], np.sort(rng.integers(0, nnz + 1, rows - 1)), [nnz]]).astype(I32)


@states("elementwise/axpby.c")
def _(rng: Generator) -> Statement:
    x, y = reals(rng, 33, dtype=F32), reals(rng, 33, dtype=F32)
    return Statement.of(33, F32(0.5), x, F32(-2), y, a4=F32(0.5) * x - F32(2) * y)


@states("elementwise/clamp.c")
def _(rng: Generator) -> Statement:
    v = reals(rng, 31)
    return Statement.of(v, 31, F64(-0.25), F64(0.5), a0=v.clip(-0.25, 0.5))


@states("elementwise/guarded_divide.c")
def _(rng: Generator) -> Statement:
    num, quot = reals(rng, 40, dtype=F32), reals(rng, 40, dtype=F32)
    den = whole(rng, -2, 3, 40).astype(F32)
    return Statement.of(40, num, den, quot, a3=np.divide(num, den, out=quot.copy(), where=den != 0))


@states("elementwise/horner.c")
def _(rng: Generator) -> Statement:
    x = reals(rng, 17)
    series = np.sum([x**k / np.prod(np.arange(1, k + 1)) for k in range(7)], axis=0)
    return Statement.of(17, x, np.zeros(17), a2=series)


@states("elementwise/complex_multiply.c")
def _(rng: Generator) -> Statement:
    pair = np.dtype([("re", F32), ("im", F32)])
    a, b, expected = np.zeros(9, pair), np.zeros(9, pair), np.zeros(9, pair)
    for z in (a, b):
        z["re"], z["im"] = reals(rng, 9, dtype=F32), reals(rng, 9, dtype=F32)
    product = (a["re"] + 1j * a["im"]) * (b["re"] + 1j * b["im"])
    expected["re"], expected["im"] = product.real, product.imag
    return Statement.of(a, b, 9, a0=expected)


@states("elementwise/swap_pairs.c")
def _(rng: Generator) -> Statement:
    v = whole(rng, 0, 100, 31)
    expected = np.append(v[:30].reshape(15, 2)[:, ::-1], v[30])
    return Statement.of(31, v, a1=expected)


@states("elementwise/floor_mod.c")
def _(rng: Generator) -> Statement:
    a, zeros = whole(rng, -1000, 1001, 50), np.zeros(50, I32)
    return Statement.of(50, 7, a, zeros, zeros, a3=a // 7, a4=a % 7)


@states("elementwise/local_read_after.c")
def _(rng: Generator) -> Statement:
    x = reals(rng, 12, dtype=F32)
    d = x * x - F32(1)
    return Statement.of(12, x, np.zeros(12, F32), np.zeros(2, F32), a2=d, a3=np.array([d[-1], 12], F32))


@states("reductions/norms.c")
def _(rng: Generator) -> Statement:
    x, out = reals(rng, 65, dtype=F32), np.zeros(1, F32)
    norms = [np.array([np.linalg.norm(x.astype(F64), order)], F32) for order in (1, 2, np.inf)]
    return Statement.of(65, x, out, out, out, a2=norms[0], a3=norms[1], a4=norms[2])


@states("reductions/argmax.c")
def _(rng: Generator) -> Statement:
    v = whole(rng, -4, 5, 40)
    return Statement.of(40, v, result=I32(v.argmax()))


@states("reductions/argmin_rows.c")
def _(rng: Generator) -> Statement:
    a, zeros = whole(rng, 0, 4, 6, 19), np.zeros(6, I32)
    last = 18 - a[:, ::-1].argmin(axis=1)
    return Statement.of(6, 19, a, zeros, zeros, a3=a.min(axis=1), a4=last.astype(I32))


@states("reductions/all_sorted.c")
def _(rng: Generator) -> Statement:
    a = whole(rng, 0, 50, 30) if rng.random() < 0.5 else np.sort(whole(rng, 0, 50, 30))
    return Statement.of(a, 30, result=I32((np.diff(a) >= 0).all()))


@states("reductions/find_first.c")
def _(rng: Generator) -> Statement:
    hay = whole(rng, 0, 20, 25, dtype=U8)
    where = np.flatnonzero(hay == 7)
    return Statement.of(I64(25), hay, U8(7), result=I64(where[0] if where.size else -1))


@states("reductions/product_wrap.c")
def _(rng: Generator) -> Statement:
    x = whole(rng, 0, 2**32, 50, dtype=U32)
    product = np.multiply.reduce(x | U32(1), dtype=U32)
    return Statement.of(50, x, result=U32(product ^ np.bitwise_xor.reduce(x)))


@states("reductions/row_softmax.c")
def _(rng: Generator) -> Statement:
    x = 5 * reals(rng, 7, 33, dtype=F32)
    e = np.exp(x.astype(F64))
    return Statement.of(7, 33, x, np.zeros_like(x), a3=(e / e.sum(axis=1, keepdims=True)).astype(F32))


@states("reductions/logsumexp_columns.c")
def _(rng: Generator) -> Statement:
    a = 5 * reals(rng, 13, 6)
    return Statement.of(13, 6, a, np.zeros(6), a3=np.log(np.exp(a).sum(axis=0)))


@states("reductions/second_largest.c")
def _(rng: Generator) -> Statement:
    x = whole(rng, -50, 50, 31)
    return Statement.of(31, x, result=I32(np.sort(x)[-2]))


@states("scans/prefix_sum.c")
def _(rng: Generator) -> Statement:
    a = reals(rng, 60, dtype=F32)
    return Statement.of(60, a, a1=np.cumsum(a, dtype=F64).astype(F32))


@states("scans/exclusive_scan.c")
def _(rng: Generator) -> Statement:
    counts = whole(rng, 0, 10, 33)
    sums = np.concatenate([[0], np.cumsum(counts, dtype=I64)])
    return Statement.of(33, counts, np.zeros(33, I64), a2=sums[:-1], result=I64(sums[-1]))


@states("scans/suffix_min.c")
def _(rng: Generator) -> Statement:
    p = whole(rng, -99, 99, 31)
    return Statement.of(31, p, np.zeros(31, I32), a2=np.minimum.accumulate(p[::-1])[::-1])


@states("scans/integral_image.c")
def _(rng: Generator) -> Statement:
    img = whole(rng, 0, 256, 9, 14, dtype=U8)
    return Statement.of(9, 14, img, np.zeros((9, 14), U32), a3=img.astype(U32).cumsum(0).cumsum(1).astype(U32))


@states("scans/compact.c")
def _(rng: Generator) -> Statement:
    x = whole(rng, -5, 6, 40)
    kept = x[x > 0]
    expected = np.concatenate([kept, np.zeros(40 - kept.size, I32)])
    return Statement.of(40, x, np.zeros(40, I32), a2=expected, result=I32(kept.size))


@states("scans/doubling_scan.c")
def _(rng: Generator) -> Statement:
    a = reals(rng, 45)
    return Statement.of(45, a, np.zeros(45), a1=np.cumsum(a))


@states("histograms/joint_histogram.c")
def _(rng: Generator) -> Statement:
    a, b = (whole(rng, 0, 256, 300, dtype=U8) for _ in "ab")
    table = np.histogram2d(a, b, bins=16, range=((0, 256), (0, 256)))[0].astype(I32)
    return Statement.of(300, a, b, np.zeros((16, 16), I32), a3=table)


@states("histograms/group_max.c")
def _(rng: Generator) -> Statement:
    group, value, best = whole(rng, 0, 5, 40), whole(rng, -9, 99, 40), np.zeros(5, I32)
    expected = best.copy()
    np.maximum.at(expected, group, value)
    return Statement.of(40, 5, group, value, best, a4=expected)


@states("transposes/transpose_in_place.c")
def _(rng: Generator) -> Statement:
    a = reals(rng, 11, 11)
    return Statement.of(11, a, a1=a.T)


@states("transposes/nchw_to_nhwc.c")
def _(rng: Generator) -> Statement:
    x = reals(rng, 2, 3, 4, 5, dtype=F32)
    return Statement.of(2, 3, 4, 5, x, np.zeros((2, 4, 5, 3), F32), a5=x.transpose(0, 2, 3, 1))


@states("transposes/rotate90.c")
def _(rng: Generator) -> Statement:
    src = whole(rng, 0, 2**32, 7, 5, dtype=U32)
    return Statement.of(5, 7, src, np.zeros((5, 7), U32), a3=np.rot90(src, -1))


@states("transposes/packed_lower.c")
def _(rng: Generator) -> Statement:
    a = reals(rng, 8, 8)
    return Statement.of(8, a, np.zeros(36), a2=a[np.tril_indices(8)])


@states("matvec/symmetric_lower.c")
def _(rng: Generator) -> Statement:
    a, x = reals(rng, 13, 13), reals(rng, 13)
    full = np.tril(a) + np.tril(a, -1).T
    return Statement.of(13, a, x, np.zeros(13), a3=full @ x)


@states("matvec/banded.c")
def _(rng: Generator) -> Statement:
    low, diag, up, x = (reals(rng, 20) for _ in range(4))
    full = np.diag(diag) + np.diag(low[1:], -1) + np.diag(up[:-1], 1)
    return Statement.of(20, low, diag, up, x, np.zeros(20), a5=full @ x)


@states("matmul/gemm_transposed.c")
def _(rng: Generator) -> Statement:
    a, b = reals(rng, 6, 4, dtype=F32), reals(rng, 4, 5, dtype=F32)  # the rows are the C's columns
    return Statement.of(6, 5, 4, a, b, np.zeros((5, 6), F32), a5=(a @ b).T)


@states("matmul/trmm.c")
def _(rng: Generator) -> Statement:
    lower, b = reals(rng, 9, 9), reals(rng, 9, 4)
    return Statement.of(9, 4, lower, b, a3=(np.tril(lower, -1) + np.eye(9)).T @ b)


@states("matmul/batched_int8.c")
def _(rng: Generator) -> Statement:
    x, w = whole(rng, -128, 128, 3, 5, 17, dtype=np.int8), whole(rng, -128, 128, 3, 17, 4, dtype=np.int8)
    y = np.einsum("bik,bkj->bij", x.astype(I32), w.astype(I32)).astype(I32)
    return Statement.of(3, 5, 17, 4, x, w, np.zeros((3, 5, 4), I32), a6=y)


@states("statistics/covariance.c")
def _(rng: Generator) -> Statement:
    data = reals(rng, 30, 6)
    expected = np.cov(data, rowvar=False)
    return Statement.of(30, 6, data, np.zeros(6), np.zeros((6, 6)), a3=data.mean(axis=0), a4=expected)


@states("statistics/correlation.c")
def _(rng: Generator) -> Statement:
    x, y = reals(rng, 50, dtype=F32), reals(rng, 50, dtype=F32)
    return Statement.of(50, x, y, result=F64(np.corrcoef(x.astype(F64), y.astype(F64))[0, 1]))


@states("statistics/moving_average_window.c")
def _(rng: Generator) -> Statement:
    x = reals(rng, 40)
    return Statement.of(40, 6, x, np.zeros(35), a3=np.convolve(x, np.full(6, 1 / 6), "valid"))


@states("stencils/heat2d_pingpong.c")
def _(rng: Generator) -> Statement:
    u = reals(rng, 2, 7, 9, dtype=F32)
    now, other = u.astype(F64)
    for _ in range(3):
        around = now[:-2, 1:-1] + now[2:, 1:-1] + now[1:-1, :-2] + now[1:-1, 2:]
        other[1:-1, 1:-1] = now[1:-1, 1:-1] + 0.1 * (around - 4 * now[1:-1, 1:-1])
        now, other = other, now
    return Statement.of(3, 7, 9, F32(0.1), u, a4=np.stack([other, now]).astype(F32))


@states("stencils/erode.c")
def _(rng: Generator) -> Statement:
    src = whole(rng, 0, 256, 8, 11, dtype=U8)
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(src, 2, constant_values=255), (5, 5))
    return Statement.of(11, 8, 2, src, np.zeros_like(src), a4=windows.min(axis=(2, 3)))


@states("stencils/trapezoid_decay.c")
def _(rng: Generator) -> Statement:
    a = whole(rng, -9, 10, 12, dtype=I64)
    return Statement.of(12, a, a1=np.array([np.diff(a, k)[0] for k in range(12)]))


@states("convolutions/conv1d.c")
def _(rng: Generator) -> Statement:
    x, w = reals(rng, 31, dtype=F32), reals(rng, 5, dtype=F32)
    return Statement.of(31, 5, x, w, np.zeros(27, F32), a4=np.convolve(x, w, "valid"))


@states("convolutions/conv2d_nchw.c")
def _(rng: Generator) -> Statement:
    x, w, bias = reals(rng, 2, 3, 9, 11, dtype=F32), reals(rng, 4, 3, 3, 3, dtype=F32), reals(rng, 4, dtype=F32)
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))[:, :, ::2, ::2]
    y = np.einsum("ncpqrs,kcrs->nkpq", windows, w) + bias[:, None, None]
    return Statement.of(2, 3, 9, 11, 4, 3, 2, 1, x, w, bias, np.zeros(y.shape, F32), a11=y.astype(F32))


@states("solvers/cholesky.c")
def _(rng: Generator) -> Statement:
    a = reals(rng, 10, 10)
    lower = np.tril(a, -1)
    full = lower + lower.T + np.diag(np.abs(np.diag(a)) + 20)
    return Statement.of(10, a, a1=np.linalg.cholesky(full) + np.triu(a, 1))


@states("solvers/lu.c")
def _(rng: Generator) -> Statement:
    a = reals(rng, 12, 12)
    full = a + 24 * np.eye(12)
    packed = full.copy()
    for k in range(11):
        schur = np.outer(packed[k + 1 :, k] / packed[k, k], packed[k, k + 1 :])
        packed[k + 1 :, k] /= packed[k, k]
        packed[k + 1 :, k + 1 :] -= schur
    assert np.allclose((np.tril(packed, -1) + np.eye(12)) @ np.triu(packed), full)
    return Statement.of(12, a, a1=packed)


@states("solvers/thomas_batch.c")
def _(rng: Generator) -> Statement:
    lo, up, rhs, di = reals(rng, 4, 9), reals(rng, 4, 9), reals(rng, 4, 9), 4 + reals(rng, 4, 9)
    systems = [np.diag(d) + np.diag(low[1:], -1) + np.diag(u[:-1], 1) for low, d, u in zip(lo, di, up, strict=True)]
    return Statement.of(4, 9, lo, di, up, rhs, a5=np.linalg.solve(np.stack(systems), rhs[:, :, None])[:, :, 0])


@states("graphs/floyd_warshall.c")
def _(rng: Generator) -> Statement:
    d = whole(rng, 0, 100, 9, 9)
    best, before = d.copy(), None
    while before is None or (best != before).any():
        before, best = best, np.minimum(best, (best[:, :, None] + best[None, :, :]).min(axis=1))
    return Statement.of(9, d, a1=best)


@states("dynamic/edit_distance.c")
def _(rng: Generator) -> Statement:
    s, t = whole(rng, 0, 3, 12, dtype=U8), whole(rng, 0, 3, 9, dtype=U8)
    row = list(range(10))
    for i, a in enumerate(s, 1):
        new = [i]
        for j, b in enumerate(t, 1):
            new.append(min(row[j - 1] + int(a != b), row[j] + 1, new[-1] + 1))
        row = new
    return Statement.of(12, 9, s, t, np.zeros(130, I32), result=I32(row[-1]))


@states("dynamic/knapsack_rows.c")
def _(rng: Generator) -> Statement:
    weight, value = whole(rng, 1, 10, 6), whole(rng, 0, 50, 6)
    chosen = (np.arange(64)[:, None] >> np.arange(6)) & 1
    best = [[(chosen[: 2**i] @ value)[chosen[: 2**i] @ weight <= cap].max() for cap in range(21)] for i in range(7)]
    return Statement.of(6, 20, weight, value, np.zeros((7, 21), I32), a4=np.array(best, I32))


@states("sparse/csr_spmv.c")
def _(rng: Generator) -> Statement:
    ptr, col = row_pointers(rng, 9, 40), whole(rng, 0, 7, 40)
    val, x = reals(rng, 40, dtype=F32), reals(rng, 7, dtype=F32)
    y = [np.dot(val[a:b], x[col[a:b]]) for a, b in pairwise(ptr)]
    return Statement.of(9, 7, 40, ptr, col, val, x, np.zeros(9, F32), a7=np.array(y, F32))


@states("sparse/coo_spmv.c")
def _(rng: Generator) -> Statement:
    e = np.zeros(30, np.dtype([("row", I32), ("col", I32), ("v", F64)], align=True))
    e["row"], e["col"], e["v"] = whole(rng, 0, 6, 30), whole(rng, 0, 8, 30), reals(rng, 30)
    x, y, dense = reals(rng, 8), reals(rng, 6), np.zeros((6, 8))
    np.add.at(dense, (e["row"], e["col"]), e["v"])
    return Statement.of(30, 6, 8, e, x, y, a5=y + dense @ x)


@states("conditionals/row_first_above.c")
def _(rng: Generator) -> Statement:
    a = reals(rng, 20, 6, dtype=F32)
    hit = a > F32(0.6)
    return Statement.of(20, 6, F32(0.6), a, np.zeros(20, I32), a4=np.where(hit.any(1), hit.argmax(1), -1).astype(I32))


@states("conditionals/binary_search_many.c")
def _(rng: Generator) -> Statement:
    table, query = np.sort(whole(rng, 0, 99, 33)), whole(rng, -5, 105, 50)
    return Statement.of(50, 33, table, query, np.zeros(50, I32), a4=np.searchsorted(table, query).astype(I32))


@states("helpers/median_of_nine.c")
def _(rng: Generator) -> Statement:
    src, dst = reals(rng, 9, 8, dtype=F32), reals(rng, 9, 8, dtype=F32)
    expected = dst.copy()
    expected[1:-1, 1:-1] = np.median(np.lib.stride_tricks.sliding_window_view(src, (3, 3)), axis=(2, 3))
    return Statement.of(9, 8, src, dst, a3=expected)


@states("simulation/game_of_life.c")
def _(rng: Generator) -> Statement:
    cell = whole(rng, 0, 2, 9, 12, dtype=U8)
    shifts = [(y, x) for y in (-1, 0, 1) for x in (-1, 0, 1) if (y, x) != (0, 0)]
    alive = sum(np.roll(cell, shift, (0, 1)) for shift in shifts)
    return Statement.of(9, 12, cell, np.zeros_like(cell), a3=((alive == 3) | ((alive == 2) & (cell == 1))).astype(U8))


@states("bytes/pack_bits.c")
def _(rng: Generator) -> Statement:
    flag = rng.random(29) < 0.5
    return Statement.of(29, flag, np.zeros(4, U8), a2=np.packbits(flag, bitorder="little"))


@states("bytes/popcount_total.c")
def _(rng: Generator) -> Statement:
    words = rng.integers(0, 2**64, 20, dtype=np.uint64)
    return Statement.of(20, words, result=np.uint64(np.unpackbits(words.view(U8)).sum()))


@states("conditionals/least_divisor.c")
def _(_: Generator) -> Statement:
    least = [next(d for d in range(2, v + 1) if v % d == 0) for v in range(2, 92)]
    return Statement.of(90, np.zeros(90, I32), a1=np.array(least, I32))


@states("dynamic/coin_change.c")
def _(rng: Generator) -> Statement:
    coin = whole(rng, 1, 10, 4)
    series = np.array([1] + [0] * 40)  # the product of 1 / (1 - x^coin), as a power series
    for c in coin:
        geometric = (np.arange(41) % c == 0).astype(int)
        series = np.convolve(series, geometric)[:41]
    return Statement.of(4, 40, coin, np.zeros(41, U32), a3=series.astype(U32))


@states("stencils/ring_mask.c")
def _(rng: Generator) -> Statement:
    a = reals(rng, 32, dtype=F32)
    return Statement.of(5, a, np.zeros(32, F32), a2=a / 2 + (np.roll(a, 1) + np.roll(a, -1)) / 4)


@states("helpers/several_functions.c")
def _(rng: Generator) -> Statement:
    v = 1 + reals(rng, 20, dtype=F32) / 2
    return Statement.of(20, v, a1=v / v.max())


@states("keep/scatter_last_wins.c")
def _(rng: Generator) -> Statement:
    where, x, y = whole(rng, 0, 5, 30), reals(rng, 30, dtype=F32), reals(rng, 8, dtype=F32)
    last = dict(zip(where.tolist(), x, strict=True))
    return Statement.of(30, 8, where, x, y, a4=np.array([last.get(k, y[k]) for k in range(8)], F32))
