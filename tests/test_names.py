"""Names that the compiler makes up never meet names of the C: functions that use them all become verified kernels."""

from __future__ import annotations

from pathlib import Path

import pytest

import cudaperf_magic
from cudaperf_magic.compiler.c.names import RESERVED, made_up
from cudaperf_magic.tasks.c import read_task

FUNCTIONS = sorted((Path(__file__).parent / "c_names").glob("*.c"))


@pytest.mark.parametrize("path", FUNCTIONS, ids=lambda path: path.stem)
def test_no_made_up_name_meets_one_of_the_c(path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CUDAPERF_STORE", str(tmp_path / "episodes.db"))
    found = cudaperf_magic.translate(path.read_text(), turns=3, device="simulator")
    for turn in found.episode.turns:
        assert turn.outcome.build.ok, turn.outcome.build.log
        assert turn.outcome.verdict is not None and turn.outcome.verdict.ok, turn.outcome.verdict


def test_only_names_that_could_be_made_up_for_this_function_give_way() -> None:
    assert made_up(["i", "i0", "j0", "A", "A_tile", "B_tile", "f_kernel", "f_kernel2"], "f", ["i"]) == {
        "i0", "A_tile", "f_kernel", "f_kernel2",
    }  # fmt: skip
    assert not RESERVED & {"i0", "t", "element", "total", "tile", "x"}


def test_options_speak_of_a_parameter_by_its_own_name_even_where_it_gave_way() -> None:
    source = "void f(int s, float s0, float x[s]) { for (int s_ = 0; s_ < s; s_++) x[s_] = s0; }"
    task, _ = read_task(source.replace("s_", "k").replace("s0", "k0"), ranges={"k0": "1:2"}, sizes={"s": "64"})
    names = [argument.name for argument in task.arguments]
    assert names == ["s", "k0_2", "x"]
    assert task.argument("k0_2").values is not None and task.argument("k0_2").values.high == "2"
