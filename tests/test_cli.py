"""The command line: exit statuses, files, one sentence for bad input, and what an interrupt leaves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from fronts import BETTER, NAIVE, Stage, stage

import cudaperf_magic
from cudaperf_magic import records
from cudaperf_magic.cli import main
from cudaperf_magic.errors import ToolchainError
from cudaperf_magic.fakes import SAXPY
from cudaperf_magic.proposals import Done, Keep
from cudaperf_magic.records_json import loads
from cudaperf_magic.store import Store

__all__ = ["stage"]
SCHEMAS = Path(cudaperf_magic.__file__).parent / "schema"


@pytest.fixture
def saxpy_c(tmp_path: Path) -> str:
    path = tmp_path / "saxpy.c"
    path.write_text(SAXPY.source)
    return str(path)


def valid(path: Path, schema: str) -> dict[str, object]:
    text = path.read_text()
    assert "NaN" not in text and "Infinity" not in text
    data: dict[str, object] = json.loads(text)
    jsonschema.validate(data, json.loads((SCHEMAS / f"{schema}.schema.json").read_text()))
    return data


def test_a_verified_translation_ends_with_zero_and_leaves_kernel_and_episode(
    stage: Stage, saxpy_c: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kernel, episode = tmp_path / "saxpy.cu", tmp_path / "episode.json"
    assert main(["translate", saxpy_c, "--out", str(kernel), "--json", str(episode), "--turns", "4"]) == 0
    assert kernel.read_text() == BETTER
    data = valid(episode, "episode")
    assert data["decision"] == "translate"
    best = loads(records.Episode, episode.read_text()).best
    assert best is not None and best.candidate.source == BETTER
    shown = capsys.readouterr()
    assert "turn 4 of 4  ✓ verified" in shown.out and "no time is claimed" in shown.out
    assert shown.err == ""


def test_turns_are_shown_in_order_with_stage_bars_and_what_changed(
    stage: Stage, saxpy_c: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["translate", saxpy_c])
    out = capsys.readouterr().out
    marks = ["turn 1", "✗ does not build", "turn 2", "✗ wrong result", "turn 3", "███·····", "turn 4", "+ #define"]
    assert [out.index(mark) for mark in marks] == sorted(out.index(mark) for mark in marks)


def test_a_keep_ends_with_zero_and_its_reason(
    stage: Stage, saxpy_c: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stage.script = [Keep("line 2: y needs the y of the iteration before")]
    kernel, episode = tmp_path / "no.cu", tmp_path / "episode.json"
    assert main(["translate", saxpy_c, "--out", str(kernel), "--json", str(episode)]) == 0
    assert valid(episode, "episode")["decision"] == "keep"
    assert not kernel.exists()
    assert "KEEP): line 2: y needs the y" in capsys.readouterr().out


def test_no_verified_kernel_ends_with_one(stage: Stage, saxpy_c: str, capsys: pytest.CaptureFixture[str]) -> None:
    stage.script = ["broken", Done("nothing else to try")]
    assert main(["translate", saxpy_c]) == 1
    assert "no verified kernel in 1 turn" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["translate", "missing.c"], "missing.c cannot be read: no such file or directory"),
        (["translate", "/"], "cannot be read: is a directory"),
        (["translate", "FILE", "--size", "n"], "write NAME=VALUE"),
        (["translate", "FILE", "--reward", "defalt"], "did you mean default?"),
        (["translate", "OTHER"], "line 2: nothing here is saxpy"),
        (["translate"], "FILE"),
        (["check", "FILE"], "--against"),
        (["check", "FILE", "--against", "nobody"], "--against nobody: nothing is named nobody"),
        (["history", "nobody-1"], "there is no episode"),
        (["resume"], "no episode is unfinished"),
    ],
)
def test_bad_input_ends_with_two_and_one_sentence(
    stage: Stage, saxpy_c: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    other = tmp_path / "other.c"
    other.write_text("int f(void) { return 0; }\n")
    files = {"FILE": saxpy_c, "OTHER": str(other)}
    assert main([files.get(word, word) for word in words]) == 2
    shown = capsys.readouterr()
    assert said in shown.err and shown.err.count("\n") == 1
    assert shown.out == ""


def test_a_file_that_is_not_text_is_bad_input(stage: Stage, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    binary = tmp_path / "b.c"
    binary.write_bytes(b"\xff\xfe\x00")
    assert main(["translate", str(binary)]) == 2
    assert "is not UTF-8 text" in capsys.readouterr().err


def test_a_machine_without_a_tool_ends_with_two_and_the_command_that_mends_it(
    stage: Stage, saxpy_c: str, capsys: pytest.CaptureFixture[str]
) -> None:
    stage.outcomes["broken"] = ToolchainError("NVRTC is not installed; pip install nvidia-cuda-nvrtc")
    assert main(["translate", saxpy_c]) == 2
    assert "pip install nvidia-cuda-nvrtc" in capsys.readouterr().err


def test_an_interrupt_keeps_the_turns_and_resume_goes_on_to_the_end(
    stage: Stage, saxpy_c: str, capsys: pytest.CaptureFixture[str]
) -> None:
    stage.outcomes[NAIVE] = KeyboardInterrupt()
    assert main(["translate", saxpy_c]) == 130
    (entry,) = Store().unfinished()
    assert (entry.turns, entry.stopped) == (2, "interrupted")
    assert "cudaperf resume" in capsys.readouterr().err

    stage.outcomes[NAIVE] = stage.outcomes[BETTER]
    assert main(["resume"]) == 0
    assert Store().load(entry.identity).decision == "translate"
    assert Store().unfinished() == ()
    assert "turn 1 of" not in capsys.readouterr().out.split("verified CUDA")[0]


def test_a_hint_is_kept_and_opens_what_the_next_turn_reads(
    stage: Stage, saxpy_c: str, capsys: pytest.CaptureFixture[str]
) -> None:
    stage.outcomes[NAIVE] = KeyboardInterrupt()
    assert main(["translate", saxpy_c]) == 130
    (entry,) = Store().unfinished()
    assert main(["resume", "--hint", "tile " * 100]) == 2
    assert "a hint has at most 400 characters" in capsys.readouterr().err

    stage.outcomes[NAIVE] = stage.outcomes[BETTER]
    assert main(["resume", "--hint", "tile in shared memory, 16 wide"]) == 0
    episode = Store().load(entry.identity)
    assert episode.hint == "tile in shared memory, 16 wide"
    assert episode.turns[1].reflection.startswith("The person says: tile in shared memory, 16 wide\n")


def test_an_interrupt_while_a_turn_is_being_drawn_keeps_the_turns_too(
    stage: Stage, saxpy_c: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("cudaperf_magic.notebook.terminal.TerminalView.show", interrupted)
    assert main(["translate", saxpy_c]) == 130
    assert [(e.turns, e.stopped) for e in Store().unfinished()] == [(1, "interrupted")]


def test_a_right_kernel_passes_its_check_and_a_wrong_one_does_not(
    stage: Stage, saxpy_c: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kernel, outcome = tmp_path / "k.cu", tmp_path / "outcome.json"
    kernel.write_text(BETTER)
    assert main(["check", str(kernel), "--against", saxpy_c, "--json", str(outcome)]) == 0
    assert valid(outcome, "outcome")["ok"] is True
    assert "computes saxpy as the C does" in capsys.readouterr().out
    kernel.write_text("racy")
    assert main(["check", str(kernel), "--against", saxpy_c, "--json", str(outcome)]) == 1
    assert valid(outcome, "outcome")["ok"] is False
    assert "what to try next" in capsys.readouterr().out


def test_a_kernel_can_be_checked_against_a_past_episode(
    stage: Stage, saxpy_c: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["translate", saxpy_c])
    kernel = tmp_path / "k.cu"
    kernel.write_text(BETTER)
    (entry,) = Store().recent()
    assert main(["check", str(kernel), "--against", entry.identity]) == 0
    assert main(["check", str(kernel), "--against", entry.identity, "--size", "n=3"]) == 2
    assert "--size says how a C file is read" in capsys.readouterr().err


def test_history_lists_the_episodes_and_shows_one_again(
    stage: Stage, saxpy_c: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["history"]) == 0
    assert "no episode yet" in capsys.readouterr().out
    main(["translate", saxpy_c])
    told = capsys.readouterr().out
    main(["history"])
    (entry,) = Store().recent()
    assert entry.identity in capsys.readouterr().out
    assert main(["history", entry.identity]) == 0
    assert capsys.readouterr().out.strip() in told


def test_a_long_reason_does_not_widen_the_history(
    stage: Stage, saxpy_c: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["translate", saxpy_c])
    store = Store()
    (entry,) = store.recent()
    store.end(entry.identity, "stopped for a reason of many words " * 9)
    capsys.readouterr()
    main(["history"])
    shown = capsys.readouterr().out
    assert "stopped for a reason" in shown
    assert max(map(len, shown.splitlines())) < 160


def test_options_reach_the_reading_of_the_c(stage: Stage, saxpy_c: str) -> None:
    above = str(Path(saxpy_c).parent.parent)
    words = ["--entry", "saxpy", "--size", "n=9", "--range", "x=0:1", "-DA=1", "--seed", "5", "-I", above]
    main(["translate", saxpy_c, *words])
    asked = {name: stage.asked[name] for name in ("entry", "sizes", "ranges", "defines", "seed", "device")}
    assert asked == {
        "entry": "saxpy", "sizes": {"n": "9"}, "ranges": {"x": "0:1"}, "defines": ("A=1",), "seed": 5, "device": "auto",
    }  # fmt: skip
    assert stage.asked["folders"] == (str(Path(saxpy_c).parent), above)


@pytest.mark.parametrize(("option", "why"), [("--json", "no such file or directory"), ("--out", "is a directory")])
def test_a_file_that_cannot_be_written_is_said_before_the_first_turn(
    stage: Stage, saxpy_c: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str, why: str
) -> None:
    path = "/nowhere/episode.json" if option == "--json" else str(tmp_path)
    assert main(["translate", saxpy_c, option, path]) == 2
    said = capsys.readouterr()
    assert said.err == f"cudaperf: {path} cannot be written: {why}\n" and "turn 1" not in said.out
    assert [entry for entry in tmp_path.parent.glob("*.part")] == []


@pytest.mark.parametrize("words", [["-h"], [], ["translate", "-h"], ["doctor", "--help"]])
def test_help_ends_with_zero(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 0
    assert capsys.readouterr().out.startswith("usage: cudaperf")


def test_python_dash_m_is_the_same_command(tmp_path: Path) -> None:
    environment = {**os.environ, "CUDAPERF_STORE": str(tmp_path / "e.db")}
    done = subprocess.run(
        [sys.executable, "-m", "cudaperf_magic", "histroy"], capture_output=True, text=True, env=environment
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "cudaperf: histroy is no command; did you mean history?\n"


def test_the_version_is_told_and_a_missing_word_is_named_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0 and main(["translate"]) == 2
    said = capsys.readouterr()
    assert said.out == f"cudaperf-magic {cudaperf_magic.__version__}\n"
    assert said.err == "cudaperf: translate: the following arguments are required: FILE\n"


def test_the_public_names_are_these() -> None:
    assert sorted(cudaperf_magic.__all__) == [
        "Candidate", "Checked", "Episode", "Inspected", "Outcome", "Task", "Translation", "Turn",
        "check", "inspect", "read_task", "resume", "translate",
    ]  # fmt: skip
    assert cudaperf_magic.translate.__module__ == "cudaperf_magic.commands"
    with pytest.raises(AttributeError):
        _ = cudaperf_magic.nothing


def test_translate_in_python_gives_the_same_result(stage: Stage) -> None:
    result = cudaperf_magic.translate(SAXPY.source, turns=4)
    assert result.source == BETTER and result.is_answer
    assert replace(result.task, source="") == replace(SAXPY, source="")
    assert cudaperf_magic.check("wrong", result).ok is False
