"""The parts of a report that draw: the bars of a reward, the roofline, the turns in time, costly lines, the machine."""

from __future__ import annotations

import base64
import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_report import Pieces
from timed_episodes import HONEST, episode, timed

from cudaperf_magic import commands
from cudaperf_magic.bench.measuring.floor import Ceilings
from cudaperf_magic.bench.roofline import counted_roofline
from cudaperf_magic.fakes import BROKEN, CASE, correct
from cudaperf_magic.notebook import place_words, plots, report, reward_view, terminal
from cudaperf_magic.proposals import Keep
from cudaperf_magic.records import (
    Build,
    Case,
    Episode,
    KernelResources,
    KernelRun,
    Label,
    LineCost,
    Memory,
    Outcome,
    RewardBreakdown,
    RewardTerm,
    Roofline,
    Structure,
)
from cudaperf_magic.rewards import preset_names, score
from cudaperf_magic.tasks.c import read_task

ROOF = Roofline(2e9, "float32", 4e8, "between L2 and memory, counted", 4000.0, 50.0, "measured", "card")
terms = st.builds(
    RewardTerm,
    st.sampled_from(["correct", "speed", "noise"]),
    st.floats(-4, 40),
    st.floats(-3, 5),
    st.just("because"),
    st.sampled_from([(0.0, 1.0), (None, None), (0.0, None), (-0.5, 4.0)]),
)


# ---- bars ----


@given(st.lists(terms, max_size=8))
def test_every_bar_lies_on_the_track_with_its_fill_inside_its_frame(found: list[RewardTerm]) -> None:
    for bar in reward_view.bars(RewardBreakdown("mine", tuple(found))):
        assert -1e-9 <= bar.frame[0] <= bar.fill[0] <= bar.fill[1] <= bar.frame[1] <= 1 + 1e-9
        assert bar.fill[0] == pytest.approx(bar.zero) or bar.fill[1] == pytest.approx(bar.zero)


def test_lengths_are_in_proportion_to_values_and_frames_to_weights() -> None:
    reward = RewardBreakdown("mine", (RewardTerm("a", 0.5, 2.0, ""), RewardTerm("b", 1.0, -1.0, "")))
    a, b = reward_view.bars(reward)
    assert a.zero == b.zero == pytest.approx(1 / 3)  # the scale goes from -1 to 2
    assert a.fill == pytest.approx((1 / 3, 2 / 3)) and a.frame == pytest.approx((1 / 3, 1.0))
    assert b.fill == pytest.approx((0.0, 1 / 3)) and b.frame == pytest.approx((0.0, 1 / 3))


@pytest.mark.parametrize("name", preset_names())
def test_each_term_has_its_weight_score_value_and_reason_in_both_forms(name: str) -> None:
    for outcome in (BROKEN, timed(25.0, coalescing=0.5)):
        reward = score(outcome, name)
        page, text = Pieces(reward_view.table(reward)).text, "\n".join(reward_view.text(reward))
        for term in reward.terms:
            for shown in (page, text):
                assert reward_view.sum_of(term) in shown and term.reason in shown
        assert f"reward {reward.total:.3g}" in text


def test_a_clip_that_was_reached_is_told_and_a_term_without_a_bound_has_an_arrow() -> None:
    fast = score(timed(1.0), "cudaperf")  # 100 times as fast: log2 is 6.6, cut at 4
    assert "(clipped at 4)" in "\n".join(reward_view.text(fast))
    assert reward_view.UNBOUNDED in reward_view.table(score(timed(1.0), "kevin"))
    assert reward_view.UNBOUNDED not in reward_view.table(score(timed(1.0)))


# ---- roofline ----


def with_roof(outcome: Outcome, roof: Roofline = ROOF) -> Outcome:
    return replace(outcome, structure=Structure((), case=CASE, roofline=roof))


def test_a_turn_that_was_timed_stands_at_what_it_reached() -> None:
    plot = plots.roofline(episode([with_roof(timed(100.0))]))
    assert plot is not None
    # 2e9 operations in 100 us are 20e12 a second; 2e9 / 4e8 = 5 a byte, times 4000 GB/s: 20e12 allowed
    assert plot.sentences[1] == "Turn 1 (best): 5 operations a byte, 20 reached, 20 allowed by bandwidth."
    assert "what was measured" in plot.sentences[0] and "(measured)" in plot.sentences[0]


def test_a_turn_that_was_not_timed_stands_on_the_roof_and_that_is_said() -> None:
    wide = replace(ROOF, moved_bytes=1e7, roofs="data sheet")
    plot = plots.roofline(episode([with_roof(correct(), wide), BROKEN]))
    assert plot is not None
    assert plot.sentences[1] == "Turn 1 (best): 200 operations a byte, 50 allowed by arithmetic."
    assert "No time was measured" in plot.sentences[0] and "data sheet" in plot.sentences[0]
    assert len(plot.sentences) == 2  # a turn that does not build stands nowhere


def test_a_time_of_another_size_is_not_put_on_the_roofline() -> None:
    other = with_roof(timed(100.0))
    assert other.structure is not None
    elsewhere = replace(other, structure=replace(other.structure, case=Case((("n", 5),))))
    plot = plots.roofline(episode([elsewhere]))
    assert plot is not None and "reached" not in plot.sentences[1]


def test_a_task_without_arithmetic_has_a_sentence_in_the_place_of_its_roofline() -> None:
    plot = plots.roofline(episode([correct(coalescing=1.0)]))
    assert plot is not None and plot.data_uri is None
    assert plots.NO_ROOFLINE in report.episode_html(episode([correct(coalescing=1.0)]))
    assert plots.roofline(episode([BROKEN])) is None


def test_a_device_s_roofline_has_the_bytes_that_it_counted_and_the_roofs_that_it_reached() -> None:
    function = read_task("void f(int n, float *x) { for (int i = 0; i < n; i++) x[i] = 2.0f * x[i] + 1.0f; }")[1]
    curve = ((1 << 30, 500.0),)
    rates = {"float32": 5e13, "float64": 2e13}
    ceilings = Ceilings("card", "uuid", "1", 1 << 20, curve, curve, curve, rates, 1.0)
    found = counted_roofline(function, Case((("n", 1000),)), 8000.0, ceilings)
    assert found is not None
    assert (found.operations, found.intensity, found.peak_tops) == (2000.0, 0.25, 50.0)
    assert counted_roofline(function, Case((("n", 1000),)), None, ceilings) is None
    whole = read_task("void f(int n, int *x) { for (int i = 0; i < n; i++) x[i] = 2 * x[i]; }")[1]
    assert counted_roofline(whole, Case((("n", 1000),)), 8000.0, ceilings) is None


@pytest.mark.parametrize("field", ["operations", "moved_bytes", "memory_gb_s", "peak_tops"])
def test_a_roofline_without_one_of_its_numbers_cannot_be_built(field: str) -> None:
    with pytest.raises(ValueError, match="above zero"):
        replace(ROOF, **{field: 0.0})


# ---- by turn ----


def test_times_are_told_a_turn_and_a_failed_turn_has_none() -> None:
    plot = plots.by_turn(episode(HONEST))
    assert plot is not None and plot.title == "Time by turn"
    assert plot.sentences[1] == "Turn 1: does not build, not timed."
    assert plot.sentences[4].startswith("Turn 4: 25 µs (")


def test_without_times_the_rewards_are_drawn_and_one_turn_needs_no_plot() -> None:
    plot = plots.by_turn(episode([correct(coalescing=0.1), BROKEN]))
    assert plot is not None and plot.title == "Reward by turn" and "No time was measured" in plot.sentences[0]
    assert plots.by_turn(episode([correct()])) is None


def test_the_pictures_are_png_of_a_bounded_size_even_for_two_hundred_turns() -> None:
    many = episode([with_roof(timed(100.0 - i / 3)) for i in range(200)])
    for plot in (plots.roofline(many), plots.by_turn(many)):
        assert plot is not None and plot.data_uri is not None
        head, data = plot.data_uri.split(",", 1)
        assert head == "data:image/png;base64" and base64.b64decode(data)[:4] == b"\x89PNG"
        assert len(data) < 80_000


def test_without_matplotlib_the_words_stand_for_the_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    page = report.episode_html(episode(HONEST))
    assert "<img" not in page and "Turn 4: 25 µs" in page


def test_drawing_leaves_the_person_s_matplotlib_as_it_was() -> None:
    import matplotlib

    before = dict(matplotlib.rcParams), sys.modules.get("matplotlib.pyplot")
    plots.by_turn(episode(HONEST))
    assert (dict(matplotlib.rcParams), sys.modules.get("matplotlib.pyplot")) == before


# ---- lines, machine, KEEP ----


def test_a_costly_line_is_marked_below_itself_with_what_would_mend_it() -> None:
    outcome = correct(coalescing=0.25)
    assert outcome.structure is not None
    costs = (LineCost(2, executions=8, active_lanes=32, requests=8, sectors=256, ideal_sectors=32),)
    prop = replace(outcome.structure.properties[0], line=2)
    turn = replace(episode([outcome]).turns[0], outcome=replace(outcome, structure=Structure((prop,), costs)))
    page = report.costly_source(turn)
    text = Pieces(page).text
    assert "32/4" in text and "coalescing 0.25: coalescing is 0.25 → mend coalescing" in text
    assert text.index("// turn 1") < text.index("coalescing 0.25")  # line 2, then its note
    assert "^ coalescing 0.25" in "\n".join(terminal.costly_lines(turn))


def test_memory_and_machine_are_told_as_far_as_they_are_known() -> None:
    outcome = Outcome(
        Build(ok=True, arch="sm_90", kernels=(KernelResources("_Z5scaleif", 40, 16, 128),)),
        correct().verdict,
        memory=Memory(12_000_000, 8_000_000),
        device="cuda:0",
        seconds=0.5,
        stages=(("build", 0.03), ("verify", 0.2), ("rest", 0.001)),
        kernels=(KernelRun("gemm", "library", 2, 0.25, "cublas"),),
        labels=(Label("state", "it may remember"),),
        isolation=("process group", "network"),
    )
    rows = dict(place_words.rows(outcome))
    assert rows["memory"] == "12 MB at its peak, the arguments alone 8 MB; 4 MB of workspace beside the arguments"
    assert rows["kernel scale"] == "40 registers a thread, 16 bytes spilled, 128 bytes of shared memory"
    assert rows["ran gemm"] == "library (cublas), 25% of the device time, 2 launches"
    assert rows["evaluated in"] == "0.5 s: verify 0.20 s, build 0.03 s"
    assert rows["protected by"] == "process group, network" and rows["label state"] == "it may remember"
    assert set(dict(place_words.rows(correct()))) == {"ran on"}


def test_a_keep_shows_what_it_earns_where_its_reward_has_a_word_for_it() -> None:
    kept = Episode(episode([]).task, stopped="kept", kept="each step needs the one before", preset="cudaperf")
    assert "What KEEP earns" in report.episode_html(kept)
    for preset in ("default", "a/file/that/is/gone.toml"):
        assert "What KEEP earns" not in report.episode_html(replace(kept, preset=preset))
    assert Keep("x").reason == "x"


def test_the_text_report_has_every_part_of_the_page() -> None:
    found = episode([with_roof(timed(100.0, coalescing=0.5)), with_roof(timed(50.0, coalescing=0.5))])
    text = commands.Translation(found).report.text
    for part in ("reward ", "time", "roofline", "time by turn", "memory and machine", "turn 2"):
        assert part in text, part


@given(st.text("ab|·█ -\n", max_size=300), st.integers(20, 120))
def test_a_text_fitted_to_a_terminal_loses_no_word(text: str, width: int) -> None:
    fitted = terminal.fitted(text, width)
    rules = {line for line in text.split("\n") if len(line) > width and set(line) <= {"-", " "}}
    kept = " ".join(line for line in text.split("\n") if line not in rules)
    assert [word for word in fitted.split() if set(word) != {"-"}] == [w for w in kept.split() if set(w) != {"-"}]
    assert terminal.fitted(text, 1000) == text


def test_a_report_fits_a_narrow_terminal_and_goes_on_below_its_columns() -> None:
    lines = terminal.fitted(terminal.episode_text(episode(HONEST)), 60).split("\n")
    assert max(len(line) for line in lines) <= 60
    bar = "  correct  |███   1 × 1 = 1  correct on all 31 cases of this task, small and odd ones too"
    first, second = terminal.fitted(bar, 60).split("\n")
    assert first.startswith("  correct  |") and second.index("task") == first.index("correct on")
