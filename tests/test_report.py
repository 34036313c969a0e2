"""The report: what it says, and that it survives the sanitiser of a notebook that is not trusted."""

from __future__ import annotations

import json
from dataclasses import replace
from html.parser import HTMLParser

import pytest
import timed_episodes
from fronts import BETTER, GOOD, NAIVE, OUTCOMES

from cudaperf_magic.episode import play
from cudaperf_magic.fakes import BROKEN, RACY, SAXPY, FakeBench, FakePolicy
from cudaperf_magic.notebook import report, words
from cudaperf_magic.notebook.report import MIME
from cudaperf_magic.notebook.tables import Table
from cudaperf_magic.notebook.terminal import check_text, episode_text
from cudaperf_magic.proposals import Keep
from cudaperf_magic.records import (
    Baseline,
    Candidate,
    Case,
    Clocks,
    Episode,
    LineCost,
    Memory,
    Outcome,
    Roofline,
    Timing,
    Turn,
)

# What JupyterLab's sanitiser lets through, of what we use.
TAGS = {"div", "span", "table", "thead", "tbody", "tr", "td", "th", "ul", "li", "pre", "details", "summary", "img"}
STYLES = {
    "background", "background-color", "border", "border-bottom", "border-collapse", "border-left", "border-radius",
    "box-sizing", "color", "cursor",
    "display", "font-family", "font-size", "font-weight", "height", "line-height", "margin", "margin-top", "max-height",
    "max-width", "min-width", "opacity", "overflow-x", "overflow-y", "padding", "padding-left", "padding-right",
    "page-break-after", "page-break-inside", "table-layout", "text-align", "text-indent", "vertical-align",
    "white-space", "width", "word-wrap",
    # These it takes away, and no word is lost: numbers are copied with the code, bars stay away from paper.
    "user-select", "-webkit-user-select", "print-color-adjust", "-webkit-print-color-adjust",
}  # fmt: skip
VALUES_LOST = ("flex", "grid", "var(", "calc(", "inherit", "url(", "!important")


class Pieces(HTMLParser):
    """Tags, attributes and text of a page; fails on tags that do not close."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag != "img":  # the one that is never closed; its words stand for it
            self.open.append(tag)
        self.text += dict(attrs).get("alt") or ""

    def handle_endtag(self, tag: str) -> None:
        assert tag == "img" or self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def episode(*script: object) -> Episode:
    found = list(play([SAXPY], FakePolicy(script or GOOD), FakeBench(OUTCOMES)))  # type: ignore[arg-type]
    return found[-1]


def rich_episode(preset: str = "default") -> Episode:
    """Made up, with everything that a report can draw: failures, times, roofs, lines that are too long, memory."""
    roof = Roofline(2e9, "float32", 4e8, "between L2 and memory, counted", 4000.0, 50.0, "measured", "card")
    costs = (LineCost(4, executions=8, active_lanes=24, requests=8, sectors=256, ideal_sectors=32, barriers=4),)

    def outcome(us: float, score: float) -> Outcome:
        found = timed_episodes.timed(us, coalescing=score)
        assert found.timing is not None and found.structure is not None
        lost = tuple(replace(item, line=4) for item in found.structure.properties)
        others = (Baseline("gcc -O3 on one core", (4000.0,)), Baseline("torch.compile", (104.0,)))
        return replace(
            found,
            timing=replace(found.timing, others=others, floor_us=20.0, floor_by="memory bandwidth"),
            structure=replace(found.structure, properties=lost, lines=costs, roofline=roof),
            memory=Memory(12_000_000, 8_000_000),
            stages=(("build", 0.1), ("verify", 0.3)),
            seconds=0.5,
        )

    outcomes = (BROKEN, outcome(100.0, 0.25), RACY, outcome(50.0, 0.5), outcome(25.0, 0.75))
    made = timed_episodes.episode(outcomes, preset=preset)
    wide = "\n".join(f"    a[{i}] = {' + '.join(f'b[{i}][{j}]' for j in range(16))};" for i in range(60))
    turns = (
        replace(turn, candidate=replace(turn.candidate, source=f"{turn.candidate.source}{wide}\n// the end of {n}\n"))
        for n, turn in enumerate(made.turns, 1)
    )
    return replace(made, turns=tuple(turns))


def pages() -> dict[str, str]:
    racy = episode("racy").turns[0]
    return {
        "translated": report.episode_html(episode()),
        "timed": report.episode_html(rich_episode()),
        "timed, no bound": report.episode_html(rich_episode("kevin")),
        "kept": report.episode_html(episode(Keep("line 2: x needs the x before"))),
        "none": report.episode_html(episode("broken", "racy")),
        "kept, earning": report.episode_html(replace(episode(Keep("line 2")), preset="cudaperf")),
        "not begun": report.episode_html(Episode(SAXPY)),
        "checked": report.check_html(SAXPY, racy),
        "table": Table(("a", "b"), (("<b>", "2"),)).html,
        "no rows": Table(("a",), ()).html,
    }


@pytest.mark.parametrize("name", pages())
def test_only_tags_and_styles_that_a_sanitiser_leaves_are_used(name: str) -> None:
    pieces = Pieces(pages()[name])
    assert pieces.tags <= TAGS
    assert {attribute for attribute, _ in pieces.attributes} <= {"style", "title", "open", "src", "alt"}
    for attribute, value in pieces.attributes:
        if attribute == "src":
            assert value.startswith("data:image/png;base64,")
        if attribute == "style":
            declared = {part.split(":", 1)[0] for part in value.split(";") if part}
            assert declared <= STYLES
            assert not any(lost in value for lost in VALUES_LOST)


def test_text_takes_the_pages_own_colour_unless_it_stands_on_ours() -> None:
    for attribute, value in Pieces(report.episode_html(episode())).attributes:
        if attribute == "style" and ("color:" in value.replace("background-color:", "")):
            assert "background:#" in value


def test_the_answer_stands_first_with_everything_that_it_rests_on() -> None:
    text = Pieces(report.episode_html(episode())).text
    assert text.index("verified CUDA; the best of 4 turns is turn 4") < text.index("n = 1, 33")
    for words_needed in ("2 cases", "nominal inputs", "no time is claimed", "All runs of a case gave the same bits"):
        assert words_needed in text


def test_a_simulated_result_claims_no_time_anywhere() -> None:
    for shown in (report.episode_html(episode()), episode_text(episode())):
        assert "times as fast" not in shown and "µs" not in shown


def timed(timing: Timing) -> str:
    """The plain report of an episode whose best turn was timed."""
    found = episode()
    best = found.turns[-1]
    measured = replace(best, outcome=replace(best.outcome, timing=timing, device="cuda:0"))
    return episode_text(replace(found, turns=(*found.turns[:-1], measured)))


def test_a_measured_result_names_its_baseline_and_how_it_was_timed() -> None:
    text = timed(Timing((10.0, 11.0, 12.0), "the C on one core", (44.0,)))
    assert "4 times as fast as the C on one core" in text
    assert "It takes 11 µs (the median of 3 samples, each after the cache was flushed)." in text


def test_a_claim_stands_only_where_its_interval_clears_the_noise() -> None:
    pairs = Timing((10.0, 10.0, 10.0), "turn 1", (20.0, 21.0, 20.0), interval=(1.9, 2.1), noise=0.02)
    assert "verified CUDA, 2 times as fast as turn 1" in timed(pairs)
    unsure = replace(pairs, baseline_samples_us=(10.0, 10.3, 10.1), interval=(0.99, 1.015), noise=0.02)
    text = timed(unsure)
    assert "verified CUDA;" in text
    assert "It is not claimed to be faster than turn 1: the ratio is 1.01" in text


def test_the_floor_the_transfers_and_the_c_are_told_apart() -> None:
    timing = Timing(
        (150.0,), floor_us=120.0, floor_by="memory bandwidth", end_to_end_us=(12_300.0,), gpu="NVIDIA H200",
        others=(Baseline("gcc -O3 on one core", (45_000.0,)),), case=Case((("n", 1 << 26),)),
        clocks=Clocks(sm_mhz=1980, throttled_by=("power cap",)),
    )  # fmt: skip
    text = timed(timing)
    assert "It takes 150 µs on NVIDIA H200 for n = 67,108,864" in text
    assert "no kernel could take less than 120 µs (memory bandwidth): 80 % of it" in text
    assert "12.3 ms with its arrays brought to the device and back." in text
    assert "The C itself takes 45 ms with gcc -O3 on one core." in text
    assert "The SM clock was 1,980 MHz, slowed down by power cap." in text


def test_every_reward_term_and_property_has_its_number_and_its_reason() -> None:
    found = episode()
    best = found.best
    assert best is not None
    text = Pieces(report.episode_html(found)).text
    for term in best.reward.terms:
        assert term.reason in text and words.number(term.value) in text
    assert "coalescing is 1.00" in text and "mend coalescing" in text
    assert "Does not apply here:" in text


def test_code_is_shown_as_text_never_as_markup() -> None:
    page = report.episode_html(episode())
    assert "<b>" not in page
    assert "// vectorised <b>&amp;</b>" in Pieces(page).text


def test_a_keep_shows_its_reason_and_no_kernel() -> None:
    found = episode(Keep("line 2: x needs the x before"))
    for shown in (Pieces(report.episode_html(found)).text, episode_text(found)):
        assert "stays as it is (KEEP): line 2: x needs the x before." in shown
        assert "Call saxpy" not in shown


def test_a_keep_s_earnings_and_what_changed_are_in_the_plain_text_too() -> None:
    kept = replace(episode(Keep("line 2")), preset="cudaperf")
    assert "what KEEP earns" in episode_text(kept) and "what KEEP earns" not in episode_text(episode(Keep("line 2")))
    text = episode_text(episode(NAIVE, BETTER))
    assert "what changed between the first turn and the best" in text
    assert "  - // naive" in text and "  + #define LANES 4" in text
    assert "what changed" not in episode_text(episode(NAIVE))


def test_no_verified_kernel_is_said_with_the_last_reason() -> None:
    text = Pieces(report.episode_html(episode("broken", "racy"))).text
    assert "no verified kernel in 2 turns. The last one: two threads touch the same word" in text


def test_a_fault_names_line_and_thread_and_what_to_try() -> None:
    turn = episode("racy").turns[0]
    for shown in (Pieces(report.check_html(SAXPY, turn)).text, check_text(SAXPY, turn)):
        assert "line 7: thread 1 reads s[0] while thread 0 writes it" in shown
        assert turn.reflection.splitlines()[0] in shown


def test_a_build_failure_shows_the_compilers_own_line() -> None:
    turn = episode("broken").turns[0]
    for shown in (Pieces(report.check_html(SAXPY, turn)).text, check_text(SAXPY, turn)):
        assert 'kernel.cu(2): error: identifier "blockIndex" is undefined' in shown
        assert "Nothing ran" in shown and "Ran on" not in shown


def test_the_bundle_has_all_three_forms_and_its_json_has_no_nan() -> None:
    bundle = report.episode_report(episode())._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html", MIME}
    data = json.loads(json.dumps(bundle[MIME], allow_nan=False))
    assert data["episode"]["decision"] == "translate"
    assert data["headline"] == words.headline(episode())


def test_a_program_of_ten_thousand_lines_does_not_swell_the_report() -> None:
    long = Candidate("\n".join(f"int x{i};" for i in range(10_000)))
    page = report.check_html(SAXPY, Turn(long, RACY, episode("racy").turns[0].reward, ""))
    assert len(page) < 60_000
    assert "9,600 more lines" in page


def test_a_difference_keeps_signs_beside_the_tint_and_names_its_place() -> None:
    rows = words.diff(NAIVE, BETTER)
    assert ("remove", "// naive") in rows and ("add", "#define LANES 4") in rows
    assert rows[0] == ("place", "line 1")
    assert words.diff(NAIVE, NAIVE) == []
    old = [line for kind, line in words.diff("a\nb\nc", "a\nx\nc", context=9) if kind in ("same", "remove")]
    assert old == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0213, "0.0213"), (12.0, "12"), (65536.0, "65,536"), (1234.5, "1,234"), (None, "not measured"), (0.5, "0.5")],
)
def test_numbers_are_short_and_grouped(value: float | None, text: str) -> None:
    assert words.number(value) == text


def test_time_left_is_guessed_only_from_turns_that_were_played() -> None:
    assert words.time_left(Episode(SAXPY), 6, 10.0) == ""
    half = replace(episode(), turns=episode().turns[:3], stopped="")
    assert words.time_left(half, 6, 9.0) == "about 9.0 s left"
    assert words.time_left(half, 6, 9.0, waiting_s=2.0) == "about 7.0 s left"
    assert words.time_left(half, 6, 9.0, waiting_s=20.0) == "longer than the turns before"
    assert words.time_left(episode(), 6, 9.0) == ""
