"""Kernels side by side: which is better, how surely, and when that cannot be said."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from timed_episodes import HONEST, PRETTIER, episode, timed, timing

from cudaperf_magic import commands, records_json
from cudaperf_magic.bench.measuring.statistics import apart
from cudaperf_magic.cli import main
from cudaperf_magic.compared import Compared
from cudaperf_magic.errors import UsageError
from cudaperf_magic.fakes import SAXPY, WRONG, correct
from cudaperf_magic.records import Outcome, Task
from cudaperf_magic.store import Store


def compared(*outcomes: Outcome, tasks: tuple[Task, ...] = ()) -> Compared:
    """Each outcome as the only turn of an episode of its own."""
    names = "abcdefghijklmnop"[: len(outcomes)]
    given = {
        name: episode([outcome], name, tasks[i] if tasks else SAXPY)
        for i, (name, outcome) in enumerate(zip(names, outcomes, strict=True))
    }
    return commands.compare([f"{name}:1" for name in names], namespace=given)


def test_the_faster_of_two_is_named_with_its_interval() -> None:
    found = compared(timed(50.0), timed(25.0))
    said = found.versus(0, 1)
    assert (said.ground, said.better) == ("time", 1)
    assert said.ratio is not None and said.ratio.low < 0.5 < said.ratio.high
    assert found.answer.startswith("b:1 is 2 times as fast as a:1 (95 % interval ")
    assert "each paired with turn 1 (plain CUDA)" in found.answer


def test_two_that_lie_within_the_noise_cannot_be_told_apart() -> None:
    found = compared(timed(50.0), timed(49.8))
    assert found.versus(0, 1).better is None and found.order == ((0, 1),)
    assert "cannot be said which of a:1 and b:1 is faster" in found.answer


def test_what_drifts_between_two_evaluations_cancels_where_both_were_paired_with_one_baseline() -> None:
    hot = replace(correct(), timing=timing(60.0, baseline_us=120.0))  # the whole card was 20 % slower then
    assert compared(timed(50.0), hot).versus(0, 1).better is None


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"gpu": "another"}, "on different cards (card and another)"),
        ({"case": None}, "on different sizes"),
        ({"is_graph": True}, "CUDA graph"),
        ({"samples_us": (1.0, 1.0), "baseline_samples_us": (2.0, 2.0)}, "fewer than 5 samples"),
    ],
)
def test_times_taken_otherwise_are_not_compared_and_the_reason_is_said(changes: dict[str, Any], words: str) -> None:
    other = timed(25.0)
    assert other.timing is not None
    found = compared(timed(50.0), replace(other, timing=replace(other.timing, **changes)))
    assert found.versus(0, 1).better is None and words in found.answer


def test_a_wrong_kernel_is_never_better_than_a_right_one() -> None:
    found = compared(WRONG, correct(coalescing=0.1))
    assert found.answer == "b:1 is better, surely: a:1 is not correct."
    assert "Neither" in compared(WRONG, WRONG).answer


def test_without_times_structure_is_compared_and_called_so() -> None:
    better = compared(correct(coalescing=0.5, balance=0.9), correct(coalescing=0.9, balance=0.9))
    assert better.answer == "b:1 has the better coalescing; no speed is claimed: no time was measured of both."
    mixed = compared(correct(coalescing=0.5, balance=0.9), correct(coalescing=0.9, balance=0.2))
    assert mixed.versus(0, 1).better is None and "which is faster cannot be said" in mixed.answer
    assert "alike" in compared(correct(balance=0.9), correct(balance=0.9)).answer
    assert "no property of both" in compared(correct(balance=0.9), correct(shared=0.9)).answer


def test_different_tasks_are_said_to_be_different() -> None:
    other = replace(SAXPY, source="void saxpy() {}")
    for outcomes in ((timed(50.0), timed(25.0)), (correct(balance=1.0), correct(balance=0.1))):
        found = compared(*outcomes, tasks=(SAXPY, other))
        assert found.versus(0, 1).better is None and "different things" in found.answer


def test_many_are_put_in_groups_and_share_a_place_where_they_cannot_be_told_apart() -> None:
    found = compared(timed(50.0), timed(25.0), WRONG, timed(25.1), timed(100.0))
    assert found.order == ((1, 3), (0,), (4,), (2,))
    assert found.answer.startswith("b:1 and d:1 are the best (which of them cannot be said). b:1 is 2 times as fast")
    rows = {row[0]: row[1:] for row in _rows(found)}
    assert rows["place"] == ("3", "1 (shared)", "5", "1 (shared)", "4")


def _rows(found: Compared) -> tuple[tuple[str, ...], ...]:
    from cudaperf_magic.notebook.comparison_words import table

    return table(found.entries, found.rewards).rows


def test_the_table_marks_the_better_value_by_a_word() -> None:
    rows = {row[0]: row[1:] for row in _rows(compared(timed(50.0, coalescing=0.5), timed(25.0, coalescing=0.75)))}
    assert rows["coalescing"] == ("0.50 (0.5 ratio)", "0.75 ★ best (0.75 ratio)")
    assert rows["time"] == ("50 µs", "25 µs")
    assert rows["speedup"][1].startswith("4 (3.99 to 4.01) × turn 1")
    assert "spilled bytes" not in rows  # nobody measured it


def test_a_kernel_compared_with_itself_is_no_better() -> None:
    found = commands.compare(["a:2", "a:2"], namespace={"a": episode(PRETTIER, "a")})
    assert found.versus(0, 1).better is None and "the sources are equal" in found.text


def test_an_episode_stands_for_its_best_turn_and_a_kept_one_has_none() -> None:
    kept = replace(episode([]), kept="every iteration needs the one before", stopped="kept")
    found = commands.compare(["a", "k"], namespace={"a": episode(HONEST, "a"), "k": kept})
    assert found.entries[0].turn is episode(HONEST, "a").best or found.entries[0].turn == episode(HONEST, "a").best
    assert found.answer == "a is better, surely: k was left sequential."
    assert "KEEP" in found.text


def test_the_bundle_has_text_html_and_data_that_agree() -> None:
    found = compared(timed(50.0), timed(25.0))
    bundle = found._repr_mimebundle_()
    data = bundle["application/vnd.cudaperf.report+json"]
    assert data["kind"] == "comparison" and data["headline"] == found.answer and data["order"] == [[1], [0]]
    json.dumps(data, allow_nan=False)
    assert found.answer in bundle["text/plain"] and "<script" not in bundle["text/html"]


def test_medians_that_were_sampled_apart_have_the_interval_of_their_difference() -> None:
    one = [10.0 + 0.01 * i for i in range(11)]
    other = [20.0 + 0.02 * i for i in range(11)]
    found = apart(one, other)
    assert found.value == pytest.approx(2.0) and found.low < 2.0 < found.high
    back = apart(other, one)
    assert back.value == pytest.approx(1 / found.value)
    assert (back.low, back.high) == (pytest.approx(1 / found.high), pytest.approx(1 / found.low))
    with pytest.raises(ValueError, match="at least 5 samples"):
        apart(one[:3], other)


def test_the_command_line_compares_files_and_writes_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setenv("CUDAPERF_STORE", str(tmp_path / "episodes.db"))
    Store().begin(replace(episode(HONEST), identity=""))
    file = tmp_path / "other.json"
    file.write_text(records_json.dumps(episode(PRETTIER)))
    out = tmp_path / "out.json"
    assert main(["compare", "saxpy", f"{file}:2", "--json", str(out)]) == 0
    assert "is 1.6 times as fast as" in capsys.readouterr().out
    assert json.loads(out.read_text())["kind"] == "comparison"
    assert main(["compare", "saxpy"]) == 2
    assert "compare takes two or more names" in capsys.readouterr().err
    assert main(["compare", "saxpy", "sxpy"]) == 2
    assert "nothing is named sxpy: no variable, JSON file or episode; did you mean saxpy" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "it is empty"),
        (b"{", "it ends in the middle"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b'{"record": "outcome", "version": 1, "build": {"ok": false}}', "holds no episode: it holds an outcome"),
        (b"[1]", "expected a JSON object"),
        (b'{"record": "episode", "version": 99}', "upgrade cudaperf-magic"),
        (b'{"record": "episode", "version": 1, "task": NaN}', "it holds NaN, which is no JSON number"),
    ],
)
def test_a_file_that_holds_no_episode_is_refused_in_one_sentence(tmp_path: Path, content: bytes, words: str) -> None:
    file = tmp_path / "x.json"
    file.write_bytes(content)
    with pytest.raises(UsageError, match=words) as caught:
        commands.compare([str(file), str(file)])
    assert "\n" not in str(caught.value)


def test_a_file_of_the_first_version_is_read_and_compared() -> None:
    folder = Path(__file__).parent / "records"
    found = commands.compare([f"{folder / 'saxpy.v1.json'}:1", f"{folder / 'saxpy.v1.json'}:2"])
    assert all(entry.is_right for entry in found.entries)
    assert found.versus(0, 1).ground == "structure"
