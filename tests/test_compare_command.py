"""Kernels side by side: which is better, how surely, and when that cannot be said."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fronts import BETTER, NAIVE, Stage, stage
from timed_episodes import HONEST, PRETTIER, episode, timed, timing

from cudaperf_magic import commands, records_json
from cudaperf_magic.bench.measuring.statistics import apart
from cudaperf_magic.cli import main
from cudaperf_magic.compared import Compared
from cudaperf_magic.errors import UsageError
from cudaperf_magic.fakes import SAXPY, WRONG, correct
from cudaperf_magic.records import Candidate, Outcome, Task, Timing
from cudaperf_magic.store import Store

__all__ = ["stage"]


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
    for outcomes in (
        (timed(50.0), timed(25.0)),
        (correct(balance=1.0), correct(balance=0.1)),
        (correct(balance=1.0), WRONG),
        (WRONG, WRONG),
    ):
        found = compared(*outcomes, tasks=(SAXPY, other))
        assert found.versus(0, 1).better is None and "different things" in found.answer
        assert "★" not in found.text


def test_the_best_of_one_task_is_not_called_the_best_of_all() -> None:
    other = replace(SAXPY, source="void saxpy() {}")
    found = compared(timed(50.0), timed(25.0), timed(1.0), tasks=(SAXPY, SAXPY, other))
    assert found.versus(0, 1).better == 1
    assert found.answer == "It cannot be said which of a:1, b:1 and c:1 is the best: they are different tasks."
    assert "place" not in {row[0] for row in _rows(found)}


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
    assert rows["time"] == ("50 µs ± 0.16 %", "25 µs ± 0.16 %")
    assert rows["speedup"][1] == "4 (3.99 to 4.01)" and rows["against"][1] == "turn 1 (plain CUDA)"
    assert rows["card"] == ("card", "card") and rows["timed on"] == ("n=33, nominal inputs",) * 2
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


# ---- relatives ----


class PairingBench:
    """Gives the timings that it was told of, by the candidate's source; a sentence stands for none."""

    device = "cuda:0"

    def __init__(self, given: dict[str, Timing | str]) -> None:
        self.given = given
        self.asked: list[tuple[str, str]] = []

    def pair(self, task: Task, candidate: Candidate, baseline: Candidate) -> Timing | str:
        self.asked.append((candidate.source, baseline.source))
        return self.given[candidate.source]

    def close(self) -> None: ...


def paired(us: float, baseline_us: float) -> Timing:
    return replace(timing(us, baseline_us=baseline_us), baseline="turn 1 (plain CUDA)")


def measured(monkeypatch: pytest.MonkeyPatch, given: dict[int, Timing | str], names: list[str]) -> Compared:
    """`a` has four turns: the first does not build, the others are right."""
    played = episode(HONEST, "a")
    bench = PairingBench({played.turns[number - 1].candidate.source: found for number, found in given.items()})
    monkeypatch.setattr(commands, "open_bench", lambda device: bench)
    return commands.compare(names, namespace={"a": played}, is_measured=True)


def test_kernels_that_are_timed_anew_in_pairs_are_judged_by_that(monkeypatch: pytest.MonkeyPatch) -> None:
    found = measured(monkeypatch, {4: paired(30.0, 20.0)}, ["a:3", "a:4"])
    assert found.answer == "a:3 is 1.5 times as fast as a:4 (95 % interval 1.496 to 1.504, timed in pairs)."
    assert found.versus(1, 0).better == 1 and found.versus(1, 0).ratio is not None
    rows = {row[0]: row[1:] for row in _rows(found)}
    assert rows["timed anew"] == (
        "the one that the others were paired with",
        "0.667 (0.665 to 0.668) × as fast as a:3",
    )
    again = records_json.from_json(Timing, found.data["entries"][1]["anew"])
    assert again.baseline == "a:3" and found.data["entries"][0]["is_reference"] is True


def test_two_that_were_each_paired_with_the_first_are_compared_through_it(monkeypatch: pytest.MonkeyPatch) -> None:
    found = measured(monkeypatch, {3: paired(40.0, 20.0), 4: paired(22.0, 22.0)}, ["a:2", "a:3", "a:4"])
    assert found.order == ((0, 2), (1,))
    assert "each paired with a:2" in found.versus(2, 1).sentence and found.versus(2, 1).better == 0


def test_what_cannot_be_timed_anew_says_why_and_keeps_its_earlier_ground(monkeypatch: pytest.MonkeyPatch) -> None:
    found = measured(monkeypatch, {4: "it failed now: y[3] is 2"}, ["a:1", "a:3", "a:4"])
    assert found.notes == (
        "a:1 was not timed anew: it is not verified.",
        "a:4 was not timed anew: it failed now: y[3] is 2.",
    )
    assert all(note in found.text for note in found.notes)
    assert found.versus(1, 2).ground == "time" and found.entries[1].is_reference


def test_without_a_device_nothing_is_timed_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    found = commands.compare(
        ["a:3", "a:4"], namespace={"a": episode(HONEST, "a")}, device="simulator", is_measured=True
    )
    assert found.notes == ("Nothing can be timed here: there is no CUDA device.",)


def test_a_file_of_ones_own_is_checked_and_compared(stage: Stage, tmp_path: Path) -> None:
    stage.script = (NAIVE,)
    Store().begin(replace(commands.translate(SAXPY.source, turns=1).episode, identity=""))
    mine, bad = tmp_path / "mine.cu", tmp_path / "bad.cu"
    mine.write_text(BETTER)
    bad.write_text("wrong")
    found = commands.compare(["saxpy", str(mine), str(bad)])
    assert [entry.label for entry in found.entries] == ["saxpy", str(mine), str(bad)]
    assert found.order == ((1,), (0,), (2,))
    assert "the latest of 2 episodes" in found.notes[0]
    assert commands.compare([str(mine), str(mine)], against=SAXPY).versus(0, 1).better is None
    with pytest.raises(UsageError, match=r"nothing says what .*mine\.cu should compute; write --against FILE\.c"):
        commands.compare([str(mine), str(bad)])
    (tmp_path / "saxpy.c").write_text(SAXPY.source)
    assert main(["compare", str(mine), str(bad), "--against", str(tmp_path / "saxpy.c")]) == 0
    assert main(["compare", str(mine), str(bad), "--against", "nobody"]) == 2
    assert main(["compare", str(mine), str(bad), "--size", "n=3"]) == 2


def test_twelve_are_ranked_in_a_table_that_scrolls() -> None:
    found = compared(*(timed(100.0 / (i + 1)) for i in range(12)))
    assert found.order == tuple((i,) for i in reversed(range(12)))
    assert "overflow-x:auto" in found.report.html and found.report.html.count("<summary") == 11 + 12


def test_names_of_other_alphabets_and_of_markup_stand_in_the_table_as_they_are() -> None:
    whole = episode(HONEST, "größe")
    found = commands.compare(["größe", "<b>x</b>:3"], namespace={"größe": whole, "<b>x</b>": whole})
    assert found.answer.startswith("größe is 2 times as fast as <b>x</b>:3")
    assert "&lt;b&gt;x&lt;/b&gt;:3" in found.report.html and "<b>x</b>" not in found.report.html


@pytest.mark.parametrize("preset", ["default", "kevin", "cuda_agent"])
def test_all_are_rewarded_by_the_one_preset_that_is_asked_for(preset: str) -> None:
    given = {"a": episode(HONEST, "a", preset="musacoder"), "b": episode(PRETTIER, "b")}
    found = commands.compare(["a:1", "a", "b"], reward=preset, namespace=given)
    assert {reward.preset for reward in found.rewards if reward} == {preset}


def test_which_is_better_does_not_hang_on_the_order_of_naming() -> None:
    outcomes = (timed(50.0), timed(25.0), WRONG, timed(25.1), correct(coalescing=1.0), correct(coalescing=0.5))
    for one in outcomes:
        for other in outcomes:
            there, back = compared(one, other).versus(0, 1), compared(other, one).versus(0, 1)
            assert there.ground == back.ground
            assert (there.better, back.better) in ((None, None), (0, 1), (1, 0))
            if there.ratio and back.ratio:
                assert there.ratio.value == pytest.approx(1 / back.ratio.value)


def test_the_magic_binds_a_comparison_that_shows_itself() -> None:
    found = compared(timed(50.0), timed(25.0))
    assert repr(found) == found.text and set(found._repr_mimebundle_()) == {
        "text/plain", "text/html", "application/vnd.cudaperf.report+json",
    }  # fmt: skip
