"""The simulator is held to what an H200's counters said of the same kernels (tests/gpu/calibrate/h200.json).

No GPU: the counters are stored. Cases that are too large for every run are left to `python -m calibrate.compare`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "gpu"))

from calibrate.case import CalibrationCase, differences
from calibrate.cases import CASES
from calibrate.counters import COUNTERS, metrics, read_counters
from calibrate.hardware import Measured, condensed, stored
from calibrate.launch_all import digests
from calibrate.simulate import Simulated, simulated
from calibrate.verdicts import EXCEPTIONS, TOLERANCE, verdicts

MACHINE, HARDWARE = stored()
SMALL = [case for case in CASES if not case.is_large]
SLOW = ("lanes.cu", "registers.cu", "arithmetic.cu")  # many kernels to compile
FILES = [
    pytest.param(file, marks=pytest.mark.slow) if file in SLOW else file for file in sorted({c.file for c in SMALL})
]


def run(file: str) -> list[tuple[CalibrationCase, Simulated, Measured]]:
    return [(case, simulated(case), HARDWARE[case.name]) for case in SMALL if case.file == file]


@pytest.mark.parametrize("file", FILES)
def test_the_simulator_counts_what_the_hardware_counted_and_computes_the_same_bits(file: str) -> None:
    wrong: list[str] = []
    for case, ours, theirs in run(file):
        for v in verdicts(case.name, ours.counts, theirs.counts()):
            if not v.agrees and not v.reason:
                wrong.append(f"{case.name}: {v.count}: {v.simulated:g} simulated, {v.measured:g} measured")
        if case.is_exact and digests(case, ours.after) != theirs.digests:
            wrong.append(f"{case.name}: other bits than the GPU")
        problem = differences(case, ours.after)
        if problem:
            wrong.append(f"{case.name}: {problem}")
    assert not wrong, "\n".join(wrong)


def test_every_case_was_measured_and_every_measurement_has_its_case() -> None:
    assert [case.name for case in CASES] == list(HARDWARE)
    assert len({(case.file, case.kernel) for case in CASES}) >= 44
    assert MACHINE["device"] == "NVIDIA H200"


def test_every_reason_names_a_case_and_counts_that_exist() -> None:
    for name, counts, why in EXCEPTIONS:
        assert any(case.name.startswith(name) for case in CASES), name
        assert set(counts) <= set(TOLERANCE) and why


def test_a_count_that_is_wrong_by_one_is_seen_unless_it_has_a_tolerance() -> None:
    (v,) = verdicts("copy<float>", {"barriers": 101.0}, {"barriers": 100.0})
    assert not v.agrees and not v.reason and v.difference == pytest.approx(0.01)
    (v,) = verdicts("copy<float>", {"global_atomic_sectors": 101.0}, {"global_atomic_sectors": 100.0})
    assert v.agrees
    (v,) = verdicts("copy<float>", {"dram_read_bytes": 1.2e9}, {"dram_read_bytes": 1e9})
    assert not v.agrees
    (v,) = verdicts("spilled", {"local_load_sectors": 0.0}, {"local_load_sectors": 7.0})
    assert not v.agrees and "ptxas spills" in v.reason


CSV = """==PROF== Connected to process 7
"ID","Kernel Name","dram__bytes_read.sum","sass__inst_executed_per_opcode","smsp__inst_executed.sum"
"","","byte","inst","inst"
"0","copy(const float *, float *, int)","1,024","1234 (BAR: 12; LDG: 1,000; IMAD.MOV: 3)","4096"
"1","twice(int *)","0","16 (EXIT: 16)","16"
"""


def test_the_profilers_table_is_read_in_the_order_of_the_launches() -> None:
    first, second = read_counters(CSV)
    assert first[0].startswith("copy(") and second[0].startswith("twice(")
    assert first[1] == {
        "dram_read_bytes": 1024.0,
        "opcodes": {"BAR": 12, "LDG": 1000, "IMAD.MOV": 3},
        "warp_instructions": 4096.0,
    }
    assert second[1]["opcodes"] == {"EXIT": 16}


def test_a_metric_that_the_profiler_does_not_know_is_not_asked_for() -> None:
    asked = metrics({"dram__bytes_read", "smsp__inst_executed"})
    assert "dram__bytes_read.sum" in asked and "dram__bytes_write.sum" not in asked
    assert COUNTERS["registers"] in asked  # of the launch, in no list of the hardware's


def test_a_stored_measurement_is_read_as_it_was_written(tmp_path: Path) -> None:
    counters = {name: 0.0 for name in COUNTERS if not name.endswith("opcodes")} | {"global_load_requests": 8.0}
    case = {"counters": counters | {"opcodes": {"LDG": 8, "MOV": 3}}, "digests": {"out": "ab"}}
    path = tmp_path / "stored.json"
    path.write_text(condensed({"device": "a card", "cases": {"one": case}}))
    machine, cases = stored(path)
    assert machine == {"device": "a card"}
    assert cases["one"].counts()["global_load_requests"] == 8.0
    assert cases["one"].opcodes == {"LDG": 8} and cases["one"].digests == {"out": "ab"}
