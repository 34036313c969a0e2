"""Trying other weights: what follows at once, and the way back."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from timed_episodes import HONEST, PRETTIER, episode, timed, timing, turn

from cudaperf_magic import commands
from cudaperf_magic.cli import main
from cudaperf_magic.errors import UsageError
from cudaperf_magic.fakes import BROKEN, WRONG, correct
from cudaperf_magic.named import LATEST
from cudaperf_magic.notebook import tuning_words
from cudaperf_magic.records import Case
from cudaperf_magic.rewards import load_preset, score
from cudaperf_magic.rewards.hacking import Judged, Timed, rank_correlation, suspicions
from cudaperf_magic.store import Store
from cudaperf_magic.tuning import Trial, changed, judge, record

DEFAULT = load_preset("default")
TWO = record([episode(PRETTIER, "a"), episode(HONEST, "b")])
SPEED_ALONE = changed(DEFAULT, ["structure=0"])


# ---- what a preset makes of episodes ----


def test_every_turn_has_the_reward_that_it_would_get_anew() -> None:
    standing = judge(TWO, DEFAULT)
    assert len(standing.ranking) == 7
    for rated in standing.ranking:
        assert rated.total == pytest.approx(score(rated.turn.outcome, DEFAULT).total)
    totals = [rated.total for rated in standing.ranking]
    assert totals == sorted(totals, reverse=True)


def test_a_reward_of_speed_alone_would_have_chosen_the_fastest() -> None:
    prettier, honest = judge(TWO, SPEED_ALONE).choices
    assert (prettier.stored and prettier.stored.number, prettier.chosen and prettier.chosen.number) == (3, 2)
    assert prettier.is_other and not honest.is_other


def test_a_choice_says_both_rewards_both_speeds_and_what_it_gains() -> None:
    (choice,) = judge(record([episode(PRETTIER)]), SPEED_ALONE).choices
    assert choice.gain == pytest.approx(60 / 40)
    shown = tuning_words.choices(judge(record([episode(PRETTIER)]), SPEED_ALONE))
    (row,) = shown.rows
    assert row[1].startswith("turn 3: ") and row[2].startswith("turn 2: ") and row[3] == "1.5 times its speed"
    assert "1.67×" in row[1] and "2.5×" in row[2] and "0 would be slower and 1 not" in shown.answer
    untimed = [correct(coalescing=0.1), correct(coalescing=0.9)]
    (silent,) = judge(record([episode(untimed)]), changed(DEFAULT, ["structure=-1"])).choices
    assert silent.is_other and silent.gain is None


def test_of_many_episodes_those_with_another_choice_are_shown_first_and_the_rest_is_counted() -> None:
    many = record([episode(HONEST, f"h{i}") for i in range(30)] + [episode(PRETTIER, f"p{i}") for i in range(3)])
    shown = tuning_words.choices(judge(many, SPEED_ALONE))
    assert [row[0] for row in shown.rows[:4]] == ["p0", "p1", "p2", "h0"]
    assert len(shown.rows) == tuning_words.MOST_ROWS
    assert "in 3 of 33 episodes" in shown.answer and "13 more episodes not shown" in shown.answer


def test_an_episode_without_a_right_turn_has_no_choice() -> None:
    (choice,) = judge(record([episode([BROKEN, WRONG])]), DEFAULT).choices
    assert choice.stored is choice.chosen is None and not choice.is_other
    assert "none is correct" in str(tuning_words.choices(judge(record([episode([BROKEN])]), DEFAULT)))


def test_episodes_of_one_task_are_one_group_and_others_are_not() -> None:
    same = judge(TWO, DEFAULT)
    first = [rated for rated in same.ranking if rated.number == 1]
    assert sum(rated.trloo for rated in first) == pytest.approx(0.0, abs=1e-9)
    other = replace(episode(HONEST, "b").task, source="void other() {}", entry="other")
    apart = judge(record([episode(PRETTIER, "a"), episode(HONEST, "b", other)]), DEFAULT)
    alone = next(rated for rated in apart.ranking if rated.label == "a:3")
    assert alone.trloo == pytest.approx(alone.total)  # a group of one has its return


def test_reward_and_speed_agree_in_rank_where_the_reward_is_speed() -> None:
    assert judge(TWO, SPEED_ALONE).correlation == pytest.approx(1.0)
    only_structure = changed(DEFAULT, ["speed.on=no"])
    weaker = judge(record([episode(PRETTIER)]), only_structure).correlation
    assert weaker is not None and weaker == pytest.approx(0.5)
    assert judge(record([episode([correct(coalescing=0.1)] * 4)]), DEFAULT).correlation is None


def test_rank_correlation_is_that_of_ranks_with_ties_shared() -> None:
    assert rank_correlation([1.0, 2.0, 3.0], [10.0, 100.0, 1000.0]) == pytest.approx(1.0)
    assert rank_correlation([1.0, 2.0, 3.0], [3.0, 2.0, 1.0]) == pytest.approx(-1.0)
    # ranks 0, 1.5, 1.5, 3 against 0, 1, 2, 3: 4.5 / sqrt(4.5 * 5)
    assert rank_correlation([1.0, 2.0, 2.0, 3.0], [1.0, 2.0, 3.0, 4.0]) == pytest.approx(0.9486833)
    assert rank_correlation([1.0, 1.0, 1.0], [1.0, 2.0, 3.0]) is None
    assert rank_correlation([1.0, 2.0], [1.0, 2.0]) is None
    with pytest.raises(ValueError, match="cannot be paired"):
        rank_correlation([1.0], [])


@given(st.lists(st.tuples(st.floats(-5, 5), st.floats(-5, 5)), min_size=3, max_size=30))
def test_rank_correlation_is_the_same_for_any_rising_change_of_scale(pairs: list[tuple[float, float]]) -> None:
    one, other = [a for a, _ in pairs], [b for _, b in pairs]
    found = rank_correlation(one, other)
    assert found == rank_correlation([2.0 * a for a in one], other)
    assert found is None or -1.0 - 1e-9 <= found <= 1.0 + 1e-9


# ---- reward without speed ----


def test_a_turn_that_earned_more_and_was_slower_is_flagged_with_the_terms_that_paid() -> None:
    standing = judge(record([episode(PRETTIER, "a")]), DEFAULT)
    (found,) = standing.suspicions
    assert (found.earlier, found.later) == ("a:2", "a:3")
    assert found.speed == pytest.approx(40 / 60)
    assert [name for name, _ in found.terms] == ["intensity", "coalescing"]
    assert sum(rise for _, rise in found.terms) > found.rise  # the speed term took some of it back
    assert set(standing.hacked) == {"intensity", "coalescing"}
    assert "a:3 earns" in " ".join(tuning_words.hacking(standing))


def test_a_reward_of_speed_alone_flags_nothing_and_honest_turns_are_not_flagged() -> None:
    assert judge(TWO, SPEED_ALONE).suspicions == ()
    assert judge(record([episode(HONEST)]), DEFAULT).suspicions == ()


def test_a_gain_within_the_noise_of_the_timing_is_no_gain_of_speed() -> None:
    alike = [timed(50.0, coalescing=0.2), timed(49.9, coalescing=1.0)]
    (found,) = judge(record([episode(alike)]), DEFAULT).suspicions
    assert "no faster" in found.sentence


@pytest.mark.parametrize("other", [{"gpu": "another card"}, {"baseline": "eager"}, {"case": Case((("n", 5),))}])
def test_times_under_other_conditions_are_not_held_against_each_other(other: dict[str, Any]) -> None:
    first, moved = timed(50.0, coalescing=0.1), timed(90.0, coalescing=1.0)
    assert moved.timing is not None
    assert len(judge(record([episode([first, moved])]), DEFAULT).suspicions) == 1
    elsewhere = replace(moved, timing=replace(moved.timing, **other))
    assert judge(record([episode([first, elsewhere])]), DEFAULT).suspicions == ()


def test_a_penalty_that_fell_away_is_named_as_what_paid() -> None:
    noisy = replace(timed(50.0), timing=timing(50.0, spread=0.4))
    reward = changed(load_preset("kevin"), ["noise=-4", "speedup=0"])
    (found,) = judge(record([episode([noisy, timed(50.0)])]), reward).suspicions
    assert [name for name, _ in found.terms] == ["noise"]
    (gone,) = suspicions(
        [
            Judged("a:1", Timed((), 50.0, 0.01), 0.0, {"speed": 1.0, "memory": -1.0}),
            Judged("a:2", Timed((), 50.0, 0.01), 1.0, {"speed": 1.0}),
        ]
    )
    assert gone.terms == (("memory", 1.0),)


# ---- steps and the way back ----


def test_undo_and_redo_walk_the_steps_and_reset_is_a_step_too() -> None:
    begun = Trial(DEFAULT, DEFAULT)
    one = begun.to(changed(DEFAULT, ["speed=3"]), "speed.weight")
    two = one.to(changed(one.preset, ["memory=1"]), "memory.weight")
    assert two.undo().preset == one.preset and two.undo().undo().preset == DEFAULT
    assert two.undo().redo().preset == two.preset
    assert two.reset().preset == DEFAULT and two.reset().undo().preset == two.preset
    assert begun.undo() is begun and begun.redo() is begun


def test_undo_over_another_preset_brings_back_where_it_began() -> None:
    kevin = load_preset("kevin")
    back = Trial(DEFAULT, DEFAULT).anew(kevin).undo()
    assert (back.preset, back.begun) == (DEFAULT, DEFAULT)
    moved = back.to(changed(DEFAULT, ["speed=3"]))
    assert moved.preset.source == "changed from default" and moved.reset().preset == DEFAULT
    assert back.redo().begun == kevin


def test_a_slider_that_is_dragged_is_one_step() -> None:
    trial = Trial(DEFAULT, DEFAULT)
    for weight in (2.6, 2.7, 2.8):
        trial = trial.to(changed(DEFAULT, [f"speed={weight}"]), "speed.weight")
    assert len(trial.past) == 1 and trial.undo().preset == DEFAULT
    assert len(trial.to(changed(trial.preset, ["memory=1"]), "memory.weight").past) == 2


def test_other_numbers_go_by_another_name_and_the_old_ones_by_their_own() -> None:
    trial = Trial(DEFAULT, DEFAULT).to(changed(DEFAULT, ["speed=3"]))
    assert (trial.preset.name, trial.preset.source) == ("default, changed", "changed from default")
    back = trial.to(changed(trial.preset, ["speed=2.5"]))
    assert back.preset == DEFAULT


@pytest.mark.parametrize(
    ("assignment", "words"),
    [
        ("sped=3", "there is no term sped; did you mean speed"),
        ("SPEED=3", "there is no term SPEED; did you mean speed"),
        ("speed", "write NAME=NUMBER"),
        ("speed=fast", "'fast' is no number"),
        ("speed=nan", "must be a finite number"),
        ("speed.hihg=3", "hihg is not known; did you mean high"),
        ("occupancy.enough=2", "enough lies in"),
        ("speed.on=maybe", "on is yes or no"),
        ("coalescing=-1", "cannot be negative"),
        ("gamma=2", "return.gamma lies in"),
    ],
)
def test_a_number_that_makes_no_sense_is_refused_in_one_sentence(assignment: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        changed(DEFAULT, [assignment])


def test_a_term_that_a_preset_lacks_may_be_set() -> None:
    more = changed(load_preset("kevin"), ["noise=-0.5", "coalescing=1", "structure=0.2", "speedup.high=4"])
    outcome = timed(10.0, coalescing=0.5)
    # 0.3 + min(10, 4) - 0.5 CV + 0.2 * 0.5
    assert score(outcome, more).total == pytest.approx(0.3 + 4.0 + 0.1, abs=0.01)


# ---- the page ----


def test_the_text_says_everything_that_the_sliders_show() -> None:
    text = commands.rewards(["e"], namespace={"e": episode(PRETTIER, "a")}).text
    for words in ("enough 0.5", "GRPO", "would be best", "Rank correlation", "speedup, logarithmic", "Reward without"):
        assert words in text, words


def test_without_times_the_page_says_so_and_correlates_nothing() -> None:
    text = commands.rewards(["e"], namespace={"e": episode([correct(coalescing=0.5)], "a")}).text
    assert "No turn was timed" in text and "Rank correlation" not in text and "Reward without" not in text


def test_an_unsound_reward_is_told_on_the_page() -> None:
    found = commands.rewards(["e"], changes=["wrong=3"], namespace={"e": episode(HONEST, "a")})
    bundle = found._repr_mimebundle_()
    for form in bundle.values():
        assert "no sound reward" in form and "being correct always earns more" in form


def test_the_plot_of_a_thousand_turns_is_as_small_as_that_of_ten() -> None:
    many = judge(record([episode([timed(1.0 + i % 97, coalescing=i % 10 / 10) for i in range(1000)])]), DEFAULT)
    drawn = tuning_words.grid(many)
    assert drawn is not None
    assert sum(sum(row) for row in drawn.counts) == 1000
    assert len(tuning_words.plot_html(drawn)) < 120_000
    assert [len(row) for row in drawn.counts] == [tuning_words.COLUMNS] * tuning_words.ROWS
    for row in tuning_words.plot_html(drawn).split("<div")[3:-1]:  # empty cells in one block are as wide as they were
        assert sum(map(float, re.findall(r"inline-block;width:([\d.]+)%", row))) in (0, pytest.approx(100)), row
    assert tuning_words.grid(judge(record([]), DEFAULT)) is None


def test_no_episode_at_all_is_said_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setenv("CUDAPERF_STORE", str(tmp_path / "empty.db"))
    assert main(["rewards"]) == 0
    assert "there is no episode" in capsys.readouterr().out


def test_the_command_line_tunes_the_stores_episodes_and_saves_a_reward(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setenv("CUDAPERF_STORE", str(tmp_path / "episodes.db"))
    Store().begin(replace(episode(PRETTIER), identity=""))
    saved = tmp_path / "mine.toml"
    assert main(["rewards", "--set", "structure=0", "--save", str(saved)]) == 0
    said = capsys.readouterr().out
    assert "It would have chosen another turn in 1 of 1 episode" in said
    assert load_preset(str(saved)).structure == 0.0
    assert main(["rewards", "--reward", str(saved), "saxpy:9"]) == 2
    assert "saxpy has 3 turns" in capsys.readouterr().err


def test_every_episode_of_the_store_may_be_weighed_and_the_latest_are_told_to_be_not_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setenv("CUDAPERF_STORE", str(tmp_path / "episodes.db"))
    for _ in range(LATEST + 2):
        Store().begin(replace(episode(HONEST[:2]), identity=""))
    latest, every = commands.rewards(), commands.rewards(is_all=True)
    assert (len(latest.record.episodes), len(every.record.episodes)) == (LATEST, LATEST + 2)
    assert "--all takes every one" in latest.text and not every.problems
    assert main(["rewards", "--all"]) == 0
    assert f"of {LATEST + 2} episodes under" in capsys.readouterr().out
    assert main(["rewards", "saxpy", "--all"]) == 2
    assert "leave it out, or saxpy" in capsys.readouterr().err


def test_an_episode_that_cannot_be_read_is_skipped_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sqlite3

    monkeypatch.setenv("CUDAPERF_STORE", str(tmp_path / "episodes.db"))
    for _ in range(2):
        Store().begin(replace(episode(HONEST), identity=""))
    with sqlite3.connect(tmp_path / "episodes.db") as database:
        database.execute("UPDATE turns SET record = '{}' WHERE rowid = 1")
    found = commands.rewards()
    assert len(found.record.episodes) == 1 and len(found.problems) == 1
    assert "Not read" in found.text


def test_a_persons_checked_kernel_may_be_weighed_as_well() -> None:
    from cudaperf_magic.translation import Checked

    checked = Checked(episode(HONEST).task, turn(HONEST[2]))
    assert commands.rewards(["mine"], namespace={"mine": checked}).record.turns == 1


def test_what_a_file_says_of_itself_moves_no_terminal() -> None:
    standing = judge(TWO, replace(DEFAULT, about="red \x1b[31m"))
    assert "\x1b" not in tuning_words.about(TWO, standing) and "red" in tuning_words.about(TWO, standing)
    assert tuning_words.about(TWO, judge(TWO, replace(DEFAULT, about=""))).endswith("reward “default”.")
