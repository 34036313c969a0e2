"""Calling a translation: each argument that does not fit is refused in one sentence, one that fits is untouched."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cudaperf_magic.calling import bind
from cudaperf_magic.errors import NotVerified, UsageError
from cudaperf_magic.fakes import SAXPY
from cudaperf_magic.records import Argument, Episode, Task
from cudaperf_magic.translation import Translation


def f32(*shape: int) -> Any:
    return np.zeros(shape, np.float32)


def with_arguments(*arguments: Argument) -> Task:
    return Task("f", "c", "", "f", arguments, ())


def test_arguments_bind_by_position_and_by_name() -> None:
    x, y = f32(4), f32(4)
    for bound in (bind(SAXPY, (4, 2.0, x, y), {}), bind(SAXPY, (4,), {"y": y, "x": x, "a": 2})):
        assert bound.scalars == {"n": 4, "a": 2.0}
        assert bound.arrays["x"] is x and bound.arrays["y"] is y


@pytest.mark.parametrize(
    ("positional", "named", "said"),
    [
        ((4, 2.0, f32(4)), {}, "saxpy(n, a, x, y): y is missing"),
        ((4, 2.0, f32(4), f32(4), 1), {}, "takes 4 arguments, not 5"),
        ((4, 2.0, f32(4), f32(4)), {"z": 1}, "has no argument z"),
        ((4, 2.0, f32(4), f32(4)), {"y": f32(4)}, "y is given twice"),
        ((4.5, 2.0, f32(4), f32(4)), {}, "n must be a whole number, not 4.5"),
        ((2**31, 2.0, f32(4), f32(4)), {}, "n = 2147483648 does not fit a C int"),
        (("4", 2.0, f32(4), f32(4)), {}, "n must be one int number, not str"),
        ((4, f32(2), f32(4), f32(4)), {}, "a must be one float number, not ndarray"),
        ((4, 2.0, [1.0] * 4, f32(4)), {}, "x must be a NumPy array of float32, not list"),
        ((4, 2.0, np.zeros(4), f32(4)), {}, "x must be an array of float32, not float64; write x.astype('float32')"),
        ((4, 2.0, f32(4), np.zeros(4)), {}, "not float64; write y = y.astype('float32') before the call"),
        ((4, 2.0, f32(8)[::2], f32(4)), {}, "x must be C-contiguous; write np.ascontiguousarray(x)"),
        ((4, 2.0, f32(3), f32(4)), {}, "x has shape (3,), but the C reads x[n] = (4,)"),
    ],
)
def test_an_argument_that_does_not_fit_is_named_in_one_sentence(
    positional: tuple[Any, ...], named: dict[str, Any], said: str
) -> None:
    with pytest.raises(UsageError) as caught:
        bind(SAXPY, positional, named)
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_a_read_only_array_may_be_read_but_not_written() -> None:
    frozen = f32(4)
    frozen.flags.writeable = False
    assert bind(SAXPY, (4, 2.0, frozen, f32(4)), {}).arrays["x"] is frozen
    with pytest.raises(UsageError, match="y is written by the function, but this array is read-only"):
        bind(SAXPY, (4, 2.0, f32(4), frozen), {})


def test_arrays_that_share_memory_are_refused_when_one_is_written() -> None:
    whole = f32(10)
    with pytest.raises(UsageError, match="x and y share memory"):
        bind(SAXPY, (4, 2.0, whole[:4], whole[3:7]), {})
    assert bind(SAXPY, (4, 2.0, whole[:4], whole[4:8]), {}).scalars["n"] == 4


def test_a_longer_flat_array_will_do_and_a_matrix_must_have_its_shape() -> None:
    task = with_arguments(
        Argument("n", "int", "int32"),
        Argument("m", "int", "int32"),
        Argument("A", "float", "float32", ("n", "m"), "inout", is_pointer=True),
    )
    for good in (f32(2, 3), f32(6), f32(7)):
        assert bind(task, (2, 3, good), {}).arrays["A"] is good
    for bad in (f32(3, 2), f32(5), f32(2, 4), f32(1, 2, 3)):
        with pytest.raises(UsageError, match=r"the C reads A\[n\]\[m\] = \(2, 3\)"):
            bind(task, (2, 3, bad), {})


def test_shapes_follow_c_arithmetic() -> None:
    task = with_arguments(
        Argument("n", "int", "int32"),
        Argument("x", "float", "float32", ("(n + 1) / 2",), is_pointer=True),
    )
    assert bind(task, (5, f32(3)), {}).arrays["x"].shape == (3,)
    with pytest.raises(UsageError):
        bind(task, (5, f32(2)), {})


def test_a_scalar_behind_a_pointer_takes_an_array_of_one_element_and_a_returned_one_none() -> None:
    task = with_arguments(
        Argument("out", "int *", "int32", (), "out", is_pointer=True),
        Argument("result", "int", "int32", (), "out", is_pointer=True, is_result=True),
    )
    for good in (np.zeros(1, np.int32), np.zeros((), np.int32)):
        assert list(bind(task, (good,), {}).arrays) == ["out"]
    with pytest.raises(UsageError, match="must be a NumPy array of int32, not int"):
        bind(task, (0,), {})


def test_structs_are_structured_arrays_with_cs_own_layout() -> None:
    particle = np.dtype([("x", "float32"), ("kind", "int8"), ("m", "float64")], align=True)
    fields = "x:float32,kind:int8,m:float64"
    task = with_arguments(Argument("p", "struct P *", fields, ("3",), "inout", is_pointer=True))
    array = np.zeros(3, particle)
    assert bind(task, (array,), {}).arrays["p"] is array
    with pytest.raises(UsageError, match="must be an array of"):
        bind(task, (np.zeros(3, np.float32),), {})


def test_without_a_verified_kernel_there_is_nothing_to_call() -> None:
    with pytest.raises(NotVerified, match="There is nothing to run"):
        Translation(Episode(SAXPY))(1, 1.0, f32(1), f32(1))
