"""A place in memory has the name that the person wrote, whatever the text of the kernel is."""

from __future__ import annotations

import pytest

from cudaperf_magic.bench.simulator.faults.declared import declared_arrays, parameter_names
from cudaperf_magic.bench.simulator.faults.names import indexed, plain_name


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("tile", "tile"),
        ("_ZZ6kernelPfE4tile", "tile"),
        ("_ZZ6rotateILi16EEvPiE4tile", "tile"),
        ("_ZZ6kernelPfE4tile_0", "tile"),
        ("_ZZN3lib6kernelIfLi4EEEvPT_E8partials", "partials"),
        ("_ZZ2k1PfE2s2", "s2"),
        ("_ZN3lib5tableE", "table"),
        ("_Zwhatever", "_Zwhatever"),
    ],
)
def test_the_innermost_name_of_a_mangled_symbol_is_found(symbol: str, name: str) -> None:
    assert plain_name(symbol) == name


@pytest.mark.parametrize(
    ("index", "dims", "name"),
    [(131, (32, 33), "t[3][32]"), (5, (8,), "t[5]"), (-1, (4, 4), "t[-1][3]"), (64, (4, 4, 4), "t[4][0][0]")],
)
def test_an_index_outside_shows_in_the_first_dimension(index: int, dims: tuple[int, ...], name: str) -> None:
    assert indexed("t", index, dims) == name


def test_dimensions_use_macros_constants_and_template_arguments() -> None:
    source = """#define SIDE (4 * 8)
    constexpr int PAD = 1;
    enum { DEPTH = 1 << 2 };
    template <typename T, int N> __global__ void k(T *x) {
        __shared__ T tile[SIDE][SIDE + PAD], line[N];
        __shared__ float4 wide[DEPTH];
        extern __shared__ unsigned char raw[];
        int mine[sizeof(double)];
    }"""
    found = {d.name: (d.space, d.element_bytes, d.dims) for d in declared_arrays(source, "k<double, 7>")}
    assert found == {
        "tile": ("shared", 8, (32, 33)),
        "line": ("shared", 8, (7,)),
        "wide": ("shared", 16, (4,)),
        "raw": ("shared", 1, (None,)),
        "mine": ("local", 4, (8,)),
    }
    assert parameter_names(source, "k<double, 7>") == ("x",)


@pytest.mark.parametrize(
    "source",
    [
        "",
        "__global__ void k( {",
        "\n".join(f"#define A{i} (A{i + 1} + A{i + 1})" for i in range(60))
        + "\n__global__ void k() { __shared__ int t[A0]; }",
        "#define N N\n__global__ void k() { __shared__ int t[N]; }",
        "__global__ void k() { __shared__ int t[1 << 99][5 / 0][9999999999999999999999]; }",
        "__global__ void k() { __shared__ int t[" + "(" * 4000 + "1" + ")" * 4000 + "]; }",
        "__global__ void k() { " + "{" * 3000 + "}" * 3000 + " }",
    ],
)
def test_a_text_that_cannot_be_read_costs_only_the_names(source: str) -> None:
    for declared in declared_arrays(source, "k"):
        assert all(dim is None or dim >= 0 for dim in declared.dims)
    assert parameter_names(source, "k") in ((), ("",))
