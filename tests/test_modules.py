"""Lane B on the CPU: honest modules pass, hostile ones end as their first line says, and tasks that cannot be refereed
are refused.

The candidates are files in tests/modules/; the hostile ones attack the protocol that is the same on a device.
"""

from __future__ import annotations

import gc
import os
import re
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import psutil
import pytest

from cudaperf_magic.bench import sandbox
from cudaperf_magic.bench.modules.evaluate import LaneB, evaluate_module
from cudaperf_magic.bench.modules.player import Limits, Player
from cudaperf_magic.errors import TaskError
from cudaperf_magic.records import Candidate, Outcome, Task
from cudaperf_magic.tasks.pytorch import OWN_KERNELS_ONLY, read_module_task

FILES = Path(__file__).parent / "modules"
HOSTILE = sorted((FILES / "hostile").glob("*.py"))
HONEST = sorted((FILES / "honest").glob("*.py"))
LIMITS = Limits(call_s=2.0, first_call_s=5.0)
NEEDS_CONTRACT = "where own kernels are asked for"


@pytest.fixture(scope="module", autouse=True)
def _no_server_is_left() -> object:
    yield
    sandbox.stop()


@cache
def task(name: str, *, contract: tuple[str, ...] = ()) -> Task:
    return read_module_task((FILES / "tasks" / f"{name}.py").read_text(), name=name, contract=contract)


def evaluated(which: Task, source: str, **options: object) -> Outcome:
    return evaluate_module(which, Candidate(source), limits=LIMITS, nominal_calls=6, **options)  # type: ignore[arg-type]


def variant(which: str, *changes: tuple[str, str]) -> str:
    """The task's own module as a candidate, with some of its text changed."""
    text = (FILES / "tasks" / f"{which}.py").read_text().replace("class Model(", "class ModelNew(")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


def ending(outcome: Outcome) -> str:
    return outcome.verdict.status if outcome.verdict is not None else "build"


def kinds(outcome: Outcome) -> set[str]:
    return {label.kind for label in outcome.labels}


@pytest.mark.parametrize("file", HOSTILE, ids=lambda file: file.stem)
def test_a_hostile_module_ends_as_its_first_line_says(file: Path) -> None:
    source = file.read_text()
    expected = re.search(r"Expect ([a-z_ ]+)", source)
    assert expected is not None
    contract = (OWN_KERNELS_ONLY,) if NEEDS_CONTRACT in source else ()
    outcome = evaluated(task("linear", contract=contract), source)
    words = expected[1].replace(NEEDS_CONTRACT, "").split()
    if words[0] == "label":
        assert outcome.ok and words[1] in kinds(outcome)
    else:
        assert ending(outcome) in words, outcome.verdict
        assert "AssertionError" not in (outcome.verdict.reason if outcome.verdict else "")
    assert outcome.timing is None


@pytest.mark.parametrize("file", HONEST, ids=lambda file: file.stem)
def test_an_honest_module_passes(file: Path) -> None:
    outcome = evaluated(task("linear"), file.read_text())
    assert outcome.ok, (outcome.build.log, outcome.verdict)
    assert outcome.verdict is not None and outcome.verdict.cases_passed == outcome.verdict.cases_total > 8


@pytest.mark.parametrize("name", ["own_kernel", "guards_its_kernel"])
def test_an_honest_kernel_keeps_the_contract_that_forbids_libraries(name: str) -> None:
    outcome = evaluated(task("linear", contract=(OWN_KERNELS_ONLY,)), (FILES / "honest" / f"{name}.py").read_text())
    assert outcome.ok and "library_call" not in kinds(outcome)


def test_a_clock_that_was_stopped_changes_nothing_of_the_parents() -> None:
    outcome = evaluated(task("linear"), (FILES / "hostile" / "stops_the_clock.py").read_text())
    assert dict(outcome.stages)["call"] >= 0.09


def test_weights_packed_in_the_constructor_are_told_of() -> None:
    outcome = evaluated(task("linear"), (FILES / "honest" / "packs_its_weights.py").read_text())
    assert outcome.ok and "weights_prepared" in kinds(outcome)


def test_parameters_under_other_names_are_matched_by_the_seed() -> None:
    outcome = evaluated(task("linear"), (FILES / "honest" / "names_of_its_own.py").read_text())
    assert outcome.ok and "parameters_by_seed" in kinds(outcome)


def test_a_copy_of_the_reference_is_labelled() -> None:
    outcome = evaluated(task("linear"), variant("linear"))
    assert outcome.ok and "copy_of_reference" in kinds(outcome)


@pytest.mark.parametrize("forgotten", [(" * self.scale", ""), (" + self.shift", "")])
def test_a_parameter_that_starts_at_its_identity_cannot_be_forgotten(forgotten: tuple[str, str]) -> None:
    outcome = evaluated(task("identity_scale"), variant("identity_scale", forgotten))
    assert ending(outcome) == "mismatch"


def test_nested_inputs_and_outputs_of_several_types_are_compared() -> None:
    right = evaluated(task("many_kinds"), variant("many_kinds", ("left * times", "times * left")))
    assert right.ok, right.verdict
    wrong = evaluated(task("many_kinds"), variant("many_kinds", ("argmax(1)", "argmin(1)")))
    assert ending(wrong) == "mismatch" and wrong.verdict is not None and "output 1" in wrong.verdict.reason
    wrong = evaluated(task("many_kinds"), variant("many_kinds", ("mixed > 0", "mixed > 1")))
    assert ending(wrong) == "mismatch" and wrong.verdict is not None and "output 2" in wrong.verdict.reason


def test_a_module_that_changes_its_own_buffers_is_followed() -> None:
    two_passes = (
        "        return self.norm(x)",
        "        mean, var = x.mean(0), x.var(0, unbiased=False)\n"
        "        return (x - mean) / torch.sqrt(var + 1e-5) * self.norm.weight + self.norm.bias",
    )
    assert evaluated(task("normalised"), variant("normalised", two_passes)).ok
    unstable = (two_passes[0], two_passes[1].replace("x.var(0, unbiased=False)", "(x * x).mean(0) - x.mean(0) ** 2"))
    assert ending(evaluated(task("normalised"), variant("normalised", unstable))) == "mismatch"


def test_a_random_reference_is_refused() -> None:
    with pytest.raises(TaskError, match="dropout"):
        evaluated(task("dropout"), variant("dropout"))


def test_a_task_that_shows_nothing_is_told_of() -> None:
    outcome = evaluated(task("always_zero"), variant("always_zero"))
    assert "degenerate" in kinds(outcome)


def test_a_module_that_does_not_load_says_where() -> None:
    outcome = evaluated(task("linear"), "import torch\n\nclass ModelNew(torch.nn.Module:\n    pass\n")
    assert not outcome.build.ok and "line 3" in outcome.build.log
    outcome = evaluated(task("linear"), "import torch\n")
    assert not outcome.build.ok and "no class ModelNew" in outcome.build.log
    outcome = evaluated(
        task("linear"), "class ModelNew:\n    def __init__(self, *a):\n        raise ValueError('no')\n"
    )
    assert not outcome.build.ok and "line 3: ValueError: no" in outcome.build.log


def test_the_childs_protections_are_recorded() -> None:
    outcome = evaluated(task("linear"), (FILES / "honest" / "written_out.py").read_text())
    assert "resource limits" in outcome.isolation


def test_nothing_is_written_where_another_candidate_could_find_it(tmp_path: Path) -> None:
    place = Path(__file__).parent / "left_by_a_candidate"
    spy = (
        "        return torch.relu(self.linear(x))",
        f"        import pathlib\n        pathlib.Path({str(place)!r}).write_text('answer')\n"
        "        return torch.relu(self.linear(x))",
    )
    outcome = evaluated(task("linear"), variant("linear", spy))
    if "files" not in outcome.isolation:
        pytest.skip("this machine's kernel cannot restrict files")
    assert ending(outcome) == "crash" and not place.exists()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("class Model(", "class Mode("), "there is no class Model"),
        (("def get_inputs():", "def inputs():"), "there is no function get_inputs"),
        (("def get_inputs():", "def get_inputs(n):"), "called without arguments"),
        (("def forward(", "def forwards("), "no forward"),
        (("    return [64, 32]", "    return [64, 32"), "not Python"),
    ],
)
def test_a_text_that_is_no_task_says_what_it_lacks(change: tuple[str, str], words: str) -> None:
    text = (FILES / "tasks" / "linear.py").read_text().replace("return [48, 32]", "return [64, 32]")
    assert change[0] in text
    with pytest.raises(TaskError, match=words):
        read_module_task(text.replace(*change))


@pytest.mark.slow
def test_load_inline_works_and_two_candidates_of_one_name_do_not_meet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDAPERF_CACHE", str(tmp_path))
    right = (FILES / "extensions" / "linear_in_cpp.py").read_text()
    wrong = right.replace("sum > 0 ? sum : 0", "sum")
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(lambda source: evaluated(task("linear"), source), (right, wrong))
    assert first.ok, (first.build.log, first.verdict)
    assert ending(second) == "mismatch"
    assert "library_call" not in kinds(first)
    again = evaluated(task("linear"), right)
    assert again.ok and again.seconds < first.seconds / 2  # the library was kept under the hash of its text


def test_an_extension_may_not_include_a_file_by_its_path() -> None:
    source = (FILES / "extensions" / "linear_in_cpp.py").read_text()
    secret = Path(__file__).resolve()
    outcome = evaluated(task("linear"), source.replace('CPP = r"""', f'CPP = r"""\n#include "{secret}"'))
    assert not outcome.build.ok and "sentences" not in outcome.build.log


def test_an_evaluation_leaves_no_process_and_no_open_file() -> None:
    sources = [(FILES / name).read_text() for name in ("honest/written_out.py", "hostile/crashes.py")]
    evaluated(task("linear"), sources[0])
    gc.collect()
    files, children = len(os.listdir("/proc/self/fd")), len(psutil.Process().children(recursive=True))
    for source in sources:
        evaluated(task("linear"), source)
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) <= files
    assert len(psutil.Process().children(recursive=True)) <= children


def test_a_baseline_is_called_beside_the_candidate_and_judged_by_nobody() -> None:
    outcome = evaluated(task("linear"), (FILES / "honest" / "written_out.py").read_text(), with_baseline=True)
    assert outcome.ok and outcome.timing is None  # on a CPU no time is claimed


@pytest.mark.parametrize(
    ("name", "endings"),
    [
        ("honest/written_out", {"pass"}),
        ("hostile/changes_it_later", {"cheat", "mismatch"}),
        ("hostile/exits_with_success", {"crash"}),
        ("hostile/caches_by_address", {"mismatch"}),
    ],
)
def test_outputs_that_the_referee_reads_at_once_as_on_a_device_are_judged_alike(
    name: str, endings: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Player, "is_on_device", property(lambda player: True))
    assert ending(evaluated(task("linear"), (FILES / f"{name}.py").read_text())) in endings


def test_a_lane_keeps_its_referee_and_gives_each_candidate_a_child_of_its_own() -> None:
    names = ["honest/written_out", "hostile/crashes", "hostile/zeroes_its_input", "honest/one_buffer"]
    with LaneB("cpu", LIMITS, spares=1) as lane:
        endings = [
            ending(lane.evaluate(task("linear"), Candidate((FILES / f"{name}.py").read_text()), nominal_calls=4))
            for name in names
        ]
        other = lane.evaluate(task("identity_scale"), Candidate(variant("identity_scale")), nominal_calls=4)
    assert endings == ["pass", "crash", "fault", "pass"] and other.ok
