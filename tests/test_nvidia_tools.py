"""ncu and compute-sanitizer without a device: text as they print it on an H200 (tests/tools/), and tools that hang."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

from cudaperf_magic.bench.counters import ncu, sanitizer, tool
from cudaperf_magic.bench.counters.ncu import Refusal, count_with_ncu, read_values
from cudaperf_magic.bench.counters.replay import Replay
from cudaperf_magic.bench.counters.sanitizer import read_faults, sanitize
from cudaperf_magic.bench.plan import LaunchPlan

PRINTED = Path(__file__).parent / "tools"
REPLAY = Replay(b"", {}, LaunchPlan(()), {"x": np.zeros(4, np.float32)})
METRICS = ("smsp__inst_executed.sum", "dram__bytes_read.sum")


def stand_in(tmp_path: Path, script: str) -> str:
    path = tmp_path / "stand-in"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("file", "kind", "kernel", "line"),
    [
        ("memcheck_past", "out_of_bounds", "past", 7),
        ("memcheck_crooked", "misaligned", "crooked", 32),
        ("initcheck_fresh", "uninitialised", "fresh", 18),
        ("synccheck_skewed", "divergence", "skewed", 22),
        ("racecheck_race", "shared_race", "race", 12),
    ],
)
def test_what_the_sanitizer_prints_is_one_fault_with_its_line(file: str, kind: str, kernel: str, line: int) -> None:
    (fault,) = read_faults((PRINTED / f"{file}.txt").read_text())
    assert (fault.kind, fault.kernel, fault.line) == (kind, kernel, line)
    assert f"line {line}" in fault.message


def test_a_fault_names_its_thread_and_block_and_a_race_its_other_line() -> None:
    (past,) = read_faults((PRINTED / "memcheck_past.txt").read_text())
    assert (past.thread, past.block) == ((232, 0, 0), (3, 0, 0))
    (race,) = read_faults((PRINTED / "racecheck_race.txt").read_text())
    assert race.other_line == 13


def test_a_clean_run_has_no_fault() -> None:
    assert read_faults((PRINTED / "racecheck_fine.txt").read_text()) == ()


def test_a_fault_inside_a_header_has_no_line_of_the_candidate() -> None:
    text = (PRINTED / "memcheck_past.txt").read_text().replace("kernel.cu:7", "cooperative_groups.h:301")
    (fault,) = read_faults(text)
    assert (fault.kind, fault.kernel, fault.line) == ("out_of_bounds", "past", None)


def test_every_tool_is_asked_and_a_tool_without_an_answer_is_not_clean(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # $2 is the tool: one finds a fault, one nothing, one cannot work here, one says nothing at all.
    script = stand_in(
        tmp_path,
        f"""case $2 in
memcheck) cat {PRINTED}/memcheck_past.txt; exit 9;;
racecheck) cat {PRINTED}/racecheck_fine.txt;;
initcheck) echo "========= Error: Device not supported"; exit 1;;
esac""",
    )
    monkeypatch.setattr(sanitizer, "find_tool", lambda name: script)
    found = sanitize(REPLAY)
    assert found is not None
    assert found.tools == ("memcheck", "racecheck")
    assert [fault.line for fault in found.faults] == [7]
    assert dict(found.missing)["initcheck"] == "Error: Device not supported"
    assert set(dict(found.missing)) == {"initcheck", "synccheck"}
    assert "line 7" in found.words


def test_without_the_sanitizer_there_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sanitizer, "find_tool", lambda name: None)
    assert sanitize(REPLAY) is None
    assert sanitizer.Sanitized((), ()).words == ""
    assert sanitizer.Sanitized((), ("memcheck",)).words == "compute-sanitizer (memcheck) found nothing"


def test_a_tool_that_does_not_end_is_ended_with_what_it_started(tmp_path: Path) -> None:
    mark = f"{time.time_ns() % 10**6 + 10**6}"  # a number of seconds that no other sleep waits
    script = stand_in(tmp_path, f"sleep {mark} & sleep {mark}")
    assert tool.output_of([script], str(tmp_path), 0.3) == ""
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert f"sleep {mark}" not in listed


def test_ncus_table_is_summed_over_launches_without_its_row_of_units() -> None:
    text = (PRINTED / "ncu.csv").read_text()
    assert read_values(text, (*METRICS, "never__heard_of.sum")) == {METRICS[0]: 192.0, METRICS[1]: 13440.0}


def test_a_metric_that_ncu_does_not_know_is_left_out_the_next_time(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script = stand_in(
        tmp_path,
        f"""case "$*" in
*odd__metric*) echo "==ERROR== Failed to find metric odd__metric.sum"; exit 1;;
esac
cat {PRINTED}/ncu.csv""",
    )
    monkeypatch.setattr(ncu, "find_ncu", lambda: script)
    assert count_with_ncu(REPLAY, (*METRICS, "odd__metric.sum")) == {METRICS[0]: 192.0, METRICS[1]: 13440.0}


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo '==ERROR== ERR_NVGPUCTRPERM - The user does not have permission'; exit 1", "ERR_NVGPUCTRPERM"),
        ("echo '==ERROR== LibraryNotLoaded'; exit 1", "LibraryNotLoaded"),
        ("sleep 60", "within 0 s"),
        ("echo hello", "no counters"),
    ],
)
def test_when_ncu_gives_no_numbers_it_is_said_why(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str, said: str
) -> None:
    monkeypatch.setattr(ncu, "find_ncu", lambda: stand_in(tmp_path, script))
    answer = count_with_ncu(REPLAY, METRICS, limit_s=0.4)
    assert isinstance(answer, Refusal) and said in answer.reason


def test_without_ncu_it_is_said() -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ncu, "find_ncu", lambda: None)
        answer = count_with_ncu(REPLAY, METRICS)
    assert isinstance(answer, Refusal) and "not installed" in answer.reason
