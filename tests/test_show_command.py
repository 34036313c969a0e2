"""`show`: files of every version, saved notebooks, names; what cannot be read says why, and the rest is shown."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from inspections import GOOD
from timed_episodes import HONEST, PRETTIER, episode, timed

from cudaperf_magic import commands, records_json, records_versions
from cudaperf_magic.cli import main
from cudaperf_magic.errors import UsageError
from cudaperf_magic.fakes import BROKEN, SAXPY, correct
from cudaperf_magic.goals import hold, read_goal
from cudaperf_magic.inspected import Inspected
from cudaperf_magic.notebook.report import MIME
from cudaperf_magic.records import Candidate, Episode, Outcome, RewardTerm
from cudaperf_magic.saved import saved
from cudaperf_magic.shown import report_of
from cudaperf_magic.store import Store
from cudaperf_magic.translation import Checked, Translation

RECORDS = Path(__file__).parent / "records"
CHECKED = Checked(SAXPY, episode(HONEST).turns[2], hold([read_goal("coalescing>=0.9")], HONEST[2].structure))


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDAPERF_STORE", str(tmp_path / "episodes.db"))


def compared() -> Any:
    given = {"a": episode(HONEST, "a"), "b": episode(PRETTIER, "b")}
    return commands.compare(["a", "b:2"], namespace=given)


def notebook(path: Path, *bundles: dict[str, Any]) -> Path:
    """A saved notebook with one cell for each bundle, after a cell of text."""
    cells: list[dict[str, Any]] = [{"cell_type": "markdown", "source": ["# x"], "metadata": {}}]
    for bundle in bundles:
        outputs = [
            {"output_type": "stream", "name": "stdout", "text": ["hello\n"]},
            {"output_type": "display_data", "metadata": {}, "data": bundle},
        ]
        cells.append({"cell_type": "code", "source": [], "metadata": {}, "execution_count": 1, "outputs": outputs})
    path.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    return path


# ---- files ----


@pytest.mark.parametrize("name", ["saxpy", "dot"])
def test_an_episode_of_the_first_version_is_shown_in_all_forms(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = RECORDS / f"{name}.v1.json"
    assert main(["show", str(path)]) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"{name}: verified CUDA; the best of 3 turns is turn ")
    assert "verdict" in text and "coalescing" in text
    bundle = commands.show(str(path))._repr_mimebundle_()
    assert bundle[MIME]["version"] == records_json.VERSION and "verified" in bundle["text/html"]


def test_what_an_old_file_does_not_know_has_its_default_and_its_rewards_stay_as_they_were() -> None:
    text = (RECORDS / "saxpy.v1.json").read_text()
    read = records_json.loads(Episode, text)
    assert read.hints == () and all(turn.outcome.structure.roofline is None for turn in read.turns)  # type: ignore[union-attr]
    totals = [turn["reward"]["total"] for turn in json.loads(text)["turns"]]
    assert [turn.reward.total for turn in read.turns] == totals
    assert records_json.loads(Episode, records_json.dumps(read)) == read


def test_a_score_of_an_old_file_that_its_default_range_would_forbid_gets_none() -> None:
    old = {"name": "verdict", "score": -1.0, "weight": 1.0, "reason": "it does not build"}
    assert records_json.from_json(RewardTerm, old, 1).range == (None, None)
    assert records_json.from_json(RewardTerm, old | {"score": 0.5}, 1).range == (0.0, 1.0)
    assert records_json.from_json(RewardTerm, old, 2).range == (0.0, 1.0)


def test_steps_of_several_versions_are_taken_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    def renamed(data: dict[str, Any]) -> dict[str, Any]:
        return {"origin" if key == "author" else key: value for key, value in data.items()}

    def shorter(data: dict[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in data.items() if key != "mood"}

    monkeypatch.setattr(records_versions, "VERSION", 4)
    monkeypatch.setattr(records_versions, "STEPS", {2: {"Candidate": renamed}, 3: {"Candidate": shorter}})
    old = {"source": "x", "author": "ada", "mood": "good"}
    assert records_json.from_json(Candidate, old, 2) == Candidate("x", origin="ada")
    with pytest.raises(ValueError, match="unknown key author"):
        records_json.from_json(Candidate, old, 3)


def test_a_notebook_that_was_saved_with_the_first_version_is_shown(tmp_path: Path) -> None:
    old = json.loads((RECORDS / "dot.v1.json").read_text())
    assert (old.pop("record"), old.pop("version")) == ("episode", 1)
    data = {"kind": "episode", "version": 1, "headline": "dot", "conditions": [], "episode": old}
    turn = {"kind": "check", "version": 1, "headline": "dot", "task": old["task"], "turn": old["turns"][0]}
    shown = commands.show(str(notebook(tmp_path / "x.ipynb", {MIME: data}, {MIME: turn})))
    assert all(part.problem == "" for part in shown.parts)
    assert "dot: verified CUDA" in shown.text and "This kernel computes dot as the C does." in shown.text


def test_a_store_with_rows_of_the_first_version_is_listed_shown_and_gone_on_with() -> None:
    store = Store()
    made = store.begin(replace(episode([]), identity=""))
    old = json.loads((RECORDS / "saxpy.v1.json").read_text())
    turns = [{"record": "turn", "version": 1, **turn} for turn in old.pop("turns")]
    with sqlite3.connect(store.path) as database:
        row = json.dumps(old | {"turns": [], "identity": made.identity})
        database.execute("UPDATE episodes SET record = ? WHERE identity = ?", (row, made.identity))
        for number, turn in enumerate(turns):
            database.execute("INSERT INTO turns VALUES (?, ?, 0, ?)", (made.identity, number, json.dumps(turn)))
    assert made.identity in str(commands.history())
    assert commands.show(made.identity).text.startswith("saxpy: verified CUDA; the best of 3 turns")
    again = Store()
    again.append(again.reopen(made.identity).identity, episode(HONEST).turns[3])
    assert [len(turn.candidate.source) > 0 for turn in again.load(made.identity).turns] == [True] * 4


SHOWN: dict[str, Callable[[], Any]] = {
    "episode": lambda: episode(HONEST, "whole"),
    "kept": lambda: replace(episode([]), kept="every iteration needs the one before", stopped="kept"),
    "checked": lambda: CHECKED,
    "inspected": lambda: Inspected(GOOD),
    "compared": compared,
    "broken": lambda: BROKEN,
    "timed": lambda: timed(20.0, coalescing=0.5),
}


@pytest.mark.parametrize("kind", SHOWN)
def test_whatever_was_written_as_data_is_drawn_again_as_it_was(tmp_path: Path, kind: str) -> None:
    value = SHOWN[kind]()
    report = report_of(value)
    if isinstance(value, Outcome):
        path = tmp_path / "outcome.json"
        path.write_text(records_json.dumps(value))
    else:
        path = notebook(tmp_path / "x.ipynb", report._repr_mimebundle_())
    again = commands.show(str(path))._repr_mimebundle_()
    assert again["text/plain"] == report.text
    assert again[report.mime] == report.data
    assert report.html in again["text/html"]


def test_json_of_a_comparison_and_of_an_inspection_is_shown_too(tmp_path: Path) -> None:
    found = compared()
    (tmp_path / "c.json").write_text(json.dumps(found.data))
    (tmp_path / "i.json").write_text(records_json.dumps(GOOD))
    assert commands.show(str(tmp_path / "c.json")).text == found.text
    assert commands.show(str(tmp_path / "i.json")).text == Inspected(GOOD).report.text


def test_an_outcome_that_stands_alone_says_what_it_lacks(tmp_path: Path) -> None:
    path = tmp_path / "outcome.json"
    path.write_text(records_json.dumps(BROKEN))
    shown = commands.show(str(path))
    assert "blockIndex" in shown.text and "neither the kernel nor the task" in shown.text
    assert "blockIndex" in shown.html and "<script" not in shown.html


# ---- notebooks ----


def test_every_report_of_a_saved_notebook_is_shown_with_its_cell(tmp_path: Path) -> None:
    path = notebook(
        tmp_path / "x.ipynb",
        Translation(episode(HONEST, "whole")).report._repr_mimebundle_(),
        {"text/plain": ["7"]},
        CHECKED.report._repr_mimebundle_(),
        Inspected(GOOD).report._repr_mimebundle_(),
    )
    shown = commands.show(str(path))
    assert [part.place for part in shown.parts] == ["cell 2", "cell 4", "cell 5"]
    assert shown.text.startswith("cell 2\n======\nsaxpy: verified CUDA")
    assert CHECKED.report.text in shown.text and Inspected(GOOD).report.text in shown.text
    assert MIME not in shown._repr_mimebundle_()  # it is of one report alone


def test_a_report_of_another_version_leaves_the_others_and_its_own_text(tmp_path: Path) -> None:
    good = CHECKED.report._repr_mimebundle_()
    newer = {MIME: good[MIME] | {"version": 7}, "text/plain": ["as it ", "was"], "text/html": "<b>x</b>"}
    shown = commands.show(str(notebook(tmp_path / "x.ipynb", newer, good)))
    reads = f"this program reads 1 to {records_json.VERSION}: upgrade cudaperf-magic"
    assert f"cell 2 holds a report that cannot be read: this file has version 7, {reads}" in shown.text
    assert "as it was" in shown.text and CHECKED.report.text in shown.text
    assert "as it was" in shown.html


def test_data_that_a_front_end_saved_as_text_is_read_all_the_same(tmp_path: Path) -> None:
    text = json.dumps(CHECKED.report.data)
    for form in (text, [text[:100], text[100:]]):
        assert commands.show(str(notebook(tmp_path / "x.ipynb", {MIME: form}))).text == CHECKED.report.text


def test_a_notebook_may_be_compared_by_the_episode_that_it_holds(tmp_path: Path) -> None:
    one, other = episode(HONEST, "one"), episode(PRETTIER, "other")
    path = notebook(
        tmp_path / "x.ipynb", *(Translation(e).report._repr_mimebundle_() for e in (one, other)), {"text/plain": "7"}
    )
    found = commands.compare([f"{path}:1", f"{path}:2"])
    assert [entry.turn for entry in found.entries] == list(other.turns[:2])
    assert found.notes == (f"{path} holds 2 episodes; the last is meant.",)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "it is empty"),
        ('{"cells": [', "it ends in the middle"),
        ('{"cells": []}', "holds no report of cudaperf: no cell was run, or its outputs were cleared"),
        ('{"cells": {}}', "it is no notebook: it has no cells"),
        ('{"worksheets": []}', "it is no notebook of before 2015; open and save it in Jupyter"),
        ("[]", "it is no notebook"),
        ('{"cells": [7, {"outputs": 3}, {"outputs": [4, {"data": 5}]}]}', "holds no report of cudaperf"),
        ('{"cells": [], "x": Infinity}', "it holds Infinity, which is no JSON number"),
    ],
)
def test_a_notebook_that_holds_nothing_of_ours_says_so_in_one_sentence(
    tmp_path: Path, content: str, words: str
) -> None:
    refused(tmp_path / "x.ipynb", content.encode(), words)


# ---- what cannot be read ----


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "it is empty"),
        (b" \n", "it is empty"),
        (b'{"record": "episode", "vers', "it ends in the middle"),
        (b"hello", "it is not JSON (line 1, column 1)"),
        (b"\x80\x81", "is not UTF-8 text"),
        (b"\x89PNG\r\n\x1a\n\x00\xff", "is not UTF-8 text"),
        (b"[]", "expected a JSON object"),
        (b"{}", "it does not say what it holds"),
        (b'{"record": "episode"}', "it does not say which version it has"),
        (b'{"record": "episode", "version": 0}', "there is no version 0"),
        (b'{"record": "episode", "version": "2"}', "there is no version '2'"),
        (b'{"record": "episode", "version": true}', "there is no version True"),
        (b'{"record": "episode", "version": 7}', "this program reads 1 to 2: upgrade cudaperf-magic"),
        (b'{"record": "episod", "version": 1}', "did you mean episode?"),
        (b'{"record": ["episode"], "version": 1}', "it holds ['episode']; this program reads episode, outcome"),
        (b'{"kind": "weather", "version": 1}', "it holds 'weather'; this program reads episode, check"),
        (b'{"kind": "comparison", "version": 1}', "it has no entries"),
        (b'{"kind": "comparison", "version": 1, "entries": [1]}', "it has no label"),
        (b'{"kind": "check", "version": 1}', "it has no task"),
        (b'{"kind": "check", "version": 1, "task": 3}', "task: expected an object, found 3"),
        (b'{"record": "outcome", "version": 1, "build": {"ok": true, "seconds": NaN}}', "it holds NaN"),
        (b'{"record": "outcome", "version": 1, "build": {"ok": true, "seconds": 1e999}}', "inf is too large"),
        (b'{"record": "outcome", "version": 1, "build": {"ok": true, "seconds": 1' + b"0" * 400 + b"}}", "too large"),
        (b'{"record": "outcome", "version": 1, "build": {"ok": false}, "mood": "good"}', "unknown key mood"),
        (b"[" * 100_000, "it is nested too deeply"),
    ],
)
def test_a_file_that_cannot_be_shown_says_why_in_one_sentence(tmp_path: Path, content: bytes, words: str) -> None:
    refused(tmp_path / "x.json", content, words)


def refused(path: Path, content: bytes, words: str) -> None:
    path.write_bytes(content)
    with pytest.raises(UsageError) as caught:
        commands.show(str(path))
    said = str(caught.value)
    assert said.startswith(str(path)) and words in said and "\n" not in said and len(said) < 400


def test_every_file_that_was_cut_short_is_refused(tmp_path: Path) -> None:
    whole = records_json.dumps(episode(HONEST[:2], "whole"))
    for length in range(0, len(whole), 97):
        refused(tmp_path / "x.json", whole[:length].encode(), "it ")


def test_a_folder_and_a_missing_file_are_said_to_be_that(tmp_path: Path) -> None:
    (tmp_path / "f.json").mkdir()
    for name, words in (("f.json", "is a directory"), ("missing.json", "no such file"), ("a\0.json", "null")):
        with pytest.raises(UsageError, match=words):
            saved(tmp_path / name)


# ---- names ----


def test_a_name_of_the_store_and_a_turn_of_it_are_shown(tmp_path: Path) -> None:
    for _ in range(2):
        Store().begin(replace(episode(HONEST), identity=""))
    shown = commands.show("saxpy")
    assert shown.text.startswith("saxpy is the latest of 2 episodes of that name, saxpy-")
    assert "the best of 4 turns is turn 4" in shown.text
    assert commands.show("saxpy:1").text.count("blockIndex") >= 1
    assert main(["show", "sxpy"]) == 2


def test_a_variable_is_shown_before_a_file_of_that_name() -> None:
    value = correct(coalescing=0.5)
    held = {"found": CHECKED, "seen": Inspected(GOOD), "both": compared(), "plain": value}
    assert commands.show("found", namespace=held).text == CHECKED.report.text
    assert commands.show("seen", namespace=held).text == Inspected(GOOD).report.text
    assert commands.show("both", namespace=held).text == held["both"].text  # type: ignore[attr-defined]
    assert "neither the kernel" in commands.show("plain", namespace=held).text
