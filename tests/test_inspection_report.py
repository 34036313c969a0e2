"""The report of an inspection: what it says, what it draws, and that a notebook's sanitiser leaves it whole.

The inspections are made by hand, but for one: its pictures have to agree with what the simulator counts.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import get_args, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspections import ALL, BOUNDS, BROKEN, CUT_SHORT, EMPTY, FAULTY, GOOD, LAUNCH, MAPS, OCCUPANCY, RACE, access
from test_report import STYLES, TAGS, VALUES_LOST, Pieces

from cudaperf_magic import commands
from cudaperf_magic.notebook import access_map, access_picture, source_view
from cudaperf_magic.notebook import inspection_words as say
from cudaperf_magic.notebook.access_map import Cell, Layout, layout
from cudaperf_magic.notebook.access_words import listing, sentences, spans
from cudaperf_magic.notebook.inspection_report import MIME, inspection_html, inspection_report, inspection_text
from cudaperf_magic.notebook.source_view import Heat, short, tint
from cudaperf_magic.notebook.source_view import source_view as view_of
from cudaperf_magic.notebook.words import measured
from cudaperf_magic.records import Fault, LineCost, Property, Structure
from cudaperf_magic.records_inspection import AccessMap, OccupancyLimit

MORE_STYLES = {"border-top"}  # that JupyterLab's sanitiser lets through as well


def both(name: str) -> tuple[str, str]:
    """What a reader of the page and of the terminal sees."""
    return Pieces(inspection_html(ALL[name])).text, inspection_text(ALL[name], width=200)


# ---- the page ----


@pytest.mark.parametrize("name", ALL)
def test_only_tags_and_styles_that_a_sanitiser_leaves_are_used(name: str) -> None:
    pieces = Pieces(inspection_html(ALL[name]))
    assert pieces.tags <= TAGS
    assert {attribute for attribute, _ in pieces.attributes} <= {"style", "title", "open"}
    for attribute, value in pieces.attributes:
        if attribute == "style":
            assert {part.split(":", 1)[0] for part in value.split(";") if part} <= STYLES | MORE_STYLES
            assert not any(lost in value for lost in VALUES_LOST)


@pytest.mark.parametrize("name", ALL)
def test_white_text_stands_only_on_a_solid_colour_of_ours(name: str) -> None:
    for attribute, value in Pieces(inspection_html(ALL[name])).attributes:
        if attribute == "style" and ";color:" in f";{value}":
            assert "background:#" in value


def test_a_script_in_the_source_and_markup_in_what_was_printed_stay_text() -> None:
    page = inspection_html(FAULTY)
    assert "<script" not in page and "<b>more" not in page
    text = Pieces(page).text
    assert '<script>alert("&amp;")</script>' in text
    assert "n is 1024 & <b>more</b>" in text


def test_the_page_of_a_kernel_stays_small_enough_to_be_saved() -> None:
    assert max(len(inspection_html(found)) for found in ALL.values()) < 100_000
    long = replace(GOOD, source=GOOD.source + "\n".join(f"int x{i};" for i in range(10_000)))
    assert len(inspection_html(long)) < 100_000
    assert "more" in Pieces(inspection_html(long)).text


# ---- what it says ----


def test_the_answer_stands_first_and_says_where_it_ran() -> None:
    for shown in both("good"):
        assert "transpose: no fault found. Simulated as an H100 (sm_90) on this machine's CPU" in shown
        assert "no time is measured" in shown and "µs" not in shown
        assert shown.index("no time is measured") < shown.index("in: 1,048,576 float32 (n * n), made up")


def test_arrays_say_where_their_values_came_from() -> None:
    assert say.arrays(GOOD) == "in: 1,048,576 float32 (n * n), made up; out: 1,048,576 float32, from the notebook."


def test_numbers_and_assumptions_are_told() -> None:
    for shown in both("good"):
        assert "n = 1024, given; a = 0.75, made up." in shown
        assert "a has no value, so 0.75 was taken; --size a=... gives another." in shown


@pytest.mark.parametrize(
    ("noun", "article"), [("H100", "an"), ("T4", "a"), ("RTX 4090", "an"), ("Jetson Orin", "a"), ("A100", "an")]
)
def test_a_card_has_the_article_that_its_name_is_spoken_with(noun: str, article: str) -> None:
    assert say.article(noun) == article


def test_a_kernel_that_does_not_compile_shows_the_compilers_line_and_claims_nothing() -> None:
    for shown in both("broken"):
        assert "It does not compile for sm_75" in shown
        assert 'line 1: error: identifier "blockIndex" is undefined' in shown
        assert "Simulated" not in shown and "watched" not in shown
    assert not BROKEN.ok


def test_a_run_that_a_fault_ended_says_so_and_shows_no_structure() -> None:
    assert CUT_SHORT.structure is None
    for shown in both("cut short"):
        assert "a fault ended the run early" in shown
        assert "divergence" not in shown


def test_a_run_that_was_cut_short_without_a_fault_is_not_called_faultless() -> None:
    shown = inspection_text(replace(CUT_SHORT, faults=()))
    assert "the run was cut short" in shown and "no fault" not in shown


def test_an_inspection_of_nothing_is_still_a_report() -> None:
    assert EMPTY.ok
    for shown in both("empty"):
        assert "no fault found" in shown


def test_what_was_not_watched_is_said() -> None:
    assert "races in global memory only with --races" in both("good")[1]
    assert "races between blocks in global memory too" in both("faulty")[1]


def test_blocks_that_were_not_traced_are_counted() -> None:
    partly = replace(GOOD, launches=(replace(LAUNCH, traced_blocks=64),))
    assert "64 of 1,024 of transpose" in inspection_text(partly)
    assert "part of the blocks" not in inspection_text(GOOD)


# ---- faults ----


def test_faults_stand_first_by_kind_with_both_lines_quoted_and_a_remedy() -> None:
    for shown in both("faulty"):
        bounds, race = shown.index("Out of bounds"), shown.index("Race in shared memory (2)")
        after = shown.index("printed by the kernels".capitalize()) if "Printed" in shown else shown.index("printed by")
        assert bounds < race < after
        assert "tile[threadIdx.y][threadIdx.x] = in[AT(y, x)];" in shown[race:after]
        assert "if (x < n && y < n) out[AT(x, y)]" in shown[race:after]
        assert "→ put __syncthreads() between line 14 and line 16" in shown


def test_what_the_simulator_cannot_see_is_said_once_with_faults_and_without() -> None:
    for inspection in (GOOD, FAULTY):
        page, text = inspection_html(inspection), " ".join(inspection_text(inspection).split())
        assert page.count("a missing __threadfence()") == text.count("a missing __threadfence()") == 1
    assert "--races" in say.unseen(replace(GOOD, checks_global_races=False))
    assert "--races" not in say.unseen(replace(GOOD, checks_global_races=True))
    assert "a missing __threadfence()" not in inspection_text(BROKEN)


def test_block_and_thread_are_told_once() -> None:
    assert say.culprits(RACE) == ""  # the message has them
    assert say.culprits(BOUNDS) == "thread (5, 7, 0) of block (31, 31, 0)"
    bare = replace(RACE, message="two threads meet", other_block=(0, 1, 0))
    assert say.culprits(bare) == ("thread (1, 0, 0) of block (0, 0, 0); the other: thread (0, 1, 0) of block (0, 1, 0)")
    assert say.culprits(BOUNDS, is_alone=False).startswith("kernel transpose; thread")


def test_a_fault_without_a_line_or_with_one_outside_the_source_quotes_nothing() -> None:
    source = GOOD.source.splitlines()
    assert say.quotes(Fault("limit", "the time is used up"), source) == []
    assert say.quotes(Fault("limit", "the time is used up", line=999), source) == []


def test_many_faults_of_a_kind_are_folded_and_counted() -> None:
    many = replace(FAULTY, faults=tuple(replace(BOUNDS, thread=(i, 0, 0)) for i in range(30)))
    assert "25 more" in Pieces(inspection_html(many)).text
    assert "… 18 more" in inspection_text(many)


def test_every_kind_of_fault_has_a_title() -> None:
    assert set(say.FAULT_TITLES) == set(get_args(get_type_hints(Fault)["kind"]))


# ---- the source ----


def test_lines_are_counted_as_the_compiler_counts_them_and_nothing_moves_a_terminals_cursor() -> None:
    source = "// one \x0c\u2028 still one\r\n// two \x1b[2J \u202e\tx\n"
    assert say.source_lines(source) == ["// one \ufffd\ufffd still one", "// two \ufffd[2J \ufffd\tx"]
    shown = inspection_text(replace(GOOD, source=source, text="\x1b]0;title\x07", maps=(), structure=None))
    assert "\x1b" not in shown and "\x07" not in shown
    assert "\u202e" not in inspection_html(replace(GOOD, source=source))


def test_every_line_of_the_source_is_there_once() -> None:
    view = view_of(GOOD)
    lines = [line for _, part in view.parts for line in part]
    assert [line.number for line in lines] == list(range(1, len(GOOD.source.splitlines()) + 1))
    assert [line.text for line in lines] == GOOD.source.splitlines()


def test_the_number_is_the_lines_own_and_the_tint_its_share_of_all_that_is_lost() -> None:
    view = view_of(GOOD)
    titles = [column.title for column in view.columns]
    assert titles == ["runs", "lanes", "sectors", "banks", "barriers", "atomics"]
    line = next(line for _, part in view.parts for line in part if line.number == 16)
    by_title = dict(zip(titles, line.heats, strict=True))
    assert by_title["sectors"] == Heat("32/4", "loss", (1_048_576 - 131_072) / (1_048_576 + 131_072))
    assert by_title["banks"] == Heat("×32", "loss", (1_048_576 - 32_768) / (1_048_576 + 32_768))
    assert by_title["barriers"] is None


def test_columns_that_no_line_has_are_left_out() -> None:
    plain = replace(GOOD, structure=Structure((), (LineCost(14, 8, 32.0, requests=2, sectors=8, ideal_sectors=8),)))
    assert [column.title for column in view_of(plain).columns] == ["runs", "lanes", "sectors"]


def test_more_loss_is_a_darker_tint_and_no_loss_is_none() -> None:
    alphas = [float(tint(Heat("", "loss", share)).rsplit(",", 1)[1].rstrip(")")) for share in (0.01, 0.1, 0.5, 1.0)]
    assert alphas == sorted(alphas) and len(set(alphas)) == 4
    assert tint(Heat("", "loss", 0.0)) == "transparent"


def test_lines_with_faults_are_marked_by_a_sign_and_untouched_ones_are_folded() -> None:
    view = view_of(FAULTY)
    assert [number for number, line in numbered(view) if line.marks] == [14, 16]
    assert [(lines[0].number, lines[-1].number) for is_folded, lines in view.parts if is_folded] == [(1, 9)]
    page = Pieces(inspection_html(FAULTY)).text
    assert "✗ 14" in page and "lines 1 to 9: nothing of them runs in a kernel" in page
    rows = inspection_text(FAULTY, width=200).splitlines()
    assert any(row.startswith("✗   14") for row in rows) and any(row.startswith("    15") for row in rows)


def numbered(view: source_view.SourceView) -> list[tuple[int, source_view.SourceLine]]:
    return [(line.number, line) for _, part in view.parts for line in part]


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0"), (9999, "9,999"), (65_536, "65.5k"), (1_310_720, "1.31M"), (3 * 10**13, "30T")]
)
def test_counts_are_at_most_five_characters(count: int, text: str) -> None:
    assert short(count) == text and len(text) <= 5


# ---- access maps ----


def touched(drawn: Layout) -> list[tuple[int, ...]]:
    return [cell.lanes for row in drawn.rows for cell in row.cells if cell.lanes]


def states(drawn: Layout) -> list[str]:
    return ["".join(cell.state[0] * cell.width for cell in row.cells) for row in drawn.rows]


@pytest.mark.parametrize("name", MAPS)
@pytest.mark.parametrize("columns", [8, 16, 32])
def test_every_active_lane_is_drawn_and_each_row_is_full(name: str, columns: int) -> None:
    found = MAPS[name]
    drawn = layout(found, columns)
    assert all(sum(cell.width for cell in row.cells) == drawn.columns for row in drawn.rows)
    assert {lane for lanes in touched(drawn) for lane in lanes} == {
        lane for lane, offset in enumerate(found.lanes) if offset is not None
    }


@pytest.mark.parametrize("name", [name for name, found in MAPS.items() if found.space == "shared"])
def test_the_rows_of_a_shared_picture_are_the_wavefronts_that_were_counted(name: str) -> None:
    assert len(layout(MAPS[name]).rows) == MAPS[name].units


@pytest.mark.parametrize("name", [name for name, found in MAPS.items() if found.space == "global"])
def test_the_tinted_part_of_a_global_picture_is_the_sectors_that_were_counted(name: str) -> None:
    drawn = layout(MAPS[name])
    moved = sum(row.count("t") + row.count("m") for row in states(drawn)) * drawn.unit_bytes
    assert moved == MAPS[name].units * access_map.SECTOR_BYTES


def test_a_coalesced_read_fills_four_boxes() -> None:
    (row,) = layout(MAPS["coalesced"]).rows
    assert [cell.lanes for cell in row.cells] == [(lane,) for lane in range(32)]
    assert [i for i, cell in enumerate(row.cells) if cell.starts_box] == [0, 8, 16, 24]


def test_a_stride_of_two_leaves_every_other_word_unused() -> None:
    assert states(layout(MAPS["stride 2"])) == ["tm" * 16, "tm" * 16]


def test_a_walk_down_a_column_touches_one_sector_in_each_row_and_says_how_far_they_are_apart() -> None:
    drawn = layout(MAPS["column"])
    assert states(drawn) == ["t" + "m" * 7 + "i" * 24] * 32
    assert [row.skipped_bytes for row in drawn.rows] == [0] + [4096 - 128] * 31
    assert [row.label for row in drawn.rows[:3]] == ["0", "4,096", "8,192"]


def test_a_wide_access_is_a_wide_cell() -> None:
    assert [cell.width for cell in layout(MAPS["float4"]).rows[0].cells] == [4] * 8
    assert [cell.width for cell in layout(MAPS["doubles"]).rows[0].cells] == [2] * 16


def test_lanes_at_one_address_share_a_cell_that_says_how_many_they_are() -> None:
    (row,) = layout(MAPS["broadcast"]).rows
    cell = next(cell for cell in row.cells if cell.lanes)
    assert cell.lanes == tuple(range(32)) and access_picture.who(cell) == "×32"


def test_small_elements_are_drawn_at_their_own_size() -> None:
    assert (layout(MAPS["half"]).unit_bytes, layout(MAPS["chars"]).unit_bytes) == (2, 1)
    assert states(layout(MAPS["chars"])) == ["t" * 32]


def test_a_misaligned_read_spills_into_a_fifth_sector() -> None:
    assert states(layout(MAPS["misaligned by 4"])) == ["m" + "t" * 31, "t" + "m" * 7 + "i" * 24]
    assert "4 bytes past a sector's edge" in " ".join(sentences(MAPS["misaligned by 4"]))


def test_a_column_of_an_unpadded_tile_meets_in_one_bank_and_all_but_the_first_wait() -> None:
    assert states(layout(MAPS["shared column"])) == ["t" + "i" * 31] + ["w" + "i" * 31] * 31
    assert "32 lanes want 32 different words of bank 0: a 32-way conflict" in " ".join(sentences(MAPS["shared column"]))


def test_a_padded_tile_fills_one_wavefront() -> None:
    assert states(layout(MAPS["shared padded"])) == ["t" * 32]
    assert "No bank is asked for two different words" in " ".join(sentences(MAPS["shared padded"]))


def test_wide_shared_accesses_go_by_half_and_quarter_warps_and_nobody_waits() -> None:
    drawn = layout(MAPS["shared float4"])
    assert states(drawn) == ["t" * 32] * 4
    assert [cell.lanes for cell in drawn.rows[1].cells] == [(lane,) for lane in range(8, 16)]


def test_an_access_without_active_lanes_draws_nothing_and_breaks_nothing() -> None:
    for space in ("global", "shared"):
        nobody = access(space, 4, lambda i: None, 0, 0)
        assert layout(nobody).rows == ()
        assert "0 of 32 lanes take part" in " ".join(sentences(nobody))
        assert access_picture.html(nobody) and access_picture.text(nobody)


def test_an_offset_before_the_buffer_is_drawn_where_it_is() -> None:
    (first, *_) = layout(access("global", 4, lambda i: 4 * i - 8, 5, 4)).rows
    assert first.label == "-128" and first.cells[-1].lanes == (1,)


def test_the_words_say_how_lanes_follow_each_other() -> None:
    def said(name: str) -> str:
        return " ".join(sentences(MAPS[name]))

    assert "32 sectors a warp, where 4 would do" in said("column") and "4,096 bytes apart." in said("column")
    assert "It moves 1,024 bytes to use 128 bytes of them" in said("column")
    assert "the least there can be" in said("coalesced") and "No byte moves unused" in said("coalesced")
    assert "20 of 32 lanes take part." in said("twenty lanes")
    assert "backwards" in said("backwards")
    assert "All lanes touch the same address" in said("broadcast")
    assert "The distance from lane to lane changes" in said("scattered")
    assert "updates 4 bytes a lane of shared memory" in said("shared histogram")


def test_the_picture_is_told_to_ears_as_well() -> None:
    assert listing(MAPS["coalesced"])[0] == "sector at byte 0: 32 of 32 bytes, by lanes 0 to 7"
    assert listing(MAPS["shared column"]) == ("bank 0: 32 words each",)
    assert listing(MAPS["shared padded"]) == ("banks 0 to 31: 1 word each",)
    assert spans([0, 1, 2, 7, 9], "lane") == "lanes 0 to 2, 7 and 9"
    assert listing(MAPS["coalesced"])[0] in Pieces(access_picture.html(MAPS["coalesced"])).text


@pytest.mark.parametrize("name", MAPS)
@pytest.mark.parametrize("width", [60, 80, 100, 120])
def test_the_text_picture_fits_its_width_and_names_every_lane_of_its_rows(name: str, width: int) -> None:
    picture = access_picture.text(MAPS[name], width).splitlines()
    assert max(len(row) for row in picture) <= width
    cells = " ".join(picture).replace("|", " ").split()
    for row in layout(MAPS[name]).rows[:4]:
        assert all(str(access_picture.who(cell)) in cells for cell in row.cells if cell.lanes)


LANES_TAKEN = st.lists(st.none() | st.integers(0, 2000), min_size=32, max_size=32)


@given(LANES_TAKEN, st.sampled_from([1, 2, 4, 8, 16]), st.sampled_from([8, 16, 32]))
def test_any_global_request_draws_each_of_its_sectors_once(elements: list[int | None], size: int, columns: int) -> None:
    offsets = [None if element is None else element * size for element in elements]
    found = access("global", size, lambda lane: offsets[lane], 0, 0)
    drawn = layout(found, columns)
    sectors = {offset // 32 for offset in offsets if offset is not None}  # an element lies within one
    assert sum(row.count("t") + row.count("m") for row in states(drawn)) * drawn.unit_bytes == 32 * len(sectors)
    used = {offset + byte for offset in offsets if offset is not None for byte in range(size)}
    assert sum(row.count("t") for row in states(drawn)) * drawn.unit_bytes == len(used)
    starts = [int(row.label.replace(",", "")) for row in drawn.rows]
    assert starts == sorted(set(starts))


@given(LANES_TAKEN, st.sampled_from([1, 2, 4, 8, 16]))
def test_any_shared_request_serves_each_word_of_each_pass_once(elements: list[int | None], size: int) -> None:
    offsets = [None if element is None else element * size for element in elements]
    found = access("shared", size, lambda lane: offsets[lane], 0, 0, operation="store")
    lanes = 32 if size <= 4 else 128 // size
    words = [
        {
            word
            for offset in offsets[at : at + lanes]
            if offset is not None
            for word in range(offset // 4, (offset + size + 3) // 4)
        }
        for at in range(0, 32, lanes)
    ]
    assert sum(row.count("t") + row.count("w") for row in states(layout(found))) == sum(map(len, words))
    deepest = [max(Counter(word % 32 for word in part).values(), default=0) for part in words]
    assert len(layout(found).rows) == sum(deepest)


def test_lanes_that_meet_in_an_atomic_take_turns_where_the_count_says_so() -> None:
    def lane(i: int) -> int:
        return 4 * (i % 3) * 32

    together = access("shared", 4, lane, 3, 1, operation="atomic")
    apart = access("shared", 4, lane, 32, 1, operation="atomic")
    assert len(layout(together).rows) == 3 and len(layout(apart).rows) == 32
    assert touched(layout(apart)) == [(lane,) for first in range(3) for lane in range(first, 32, 3)]
    assert "at one word too" in " ".join(sentences(apart))
    crowd = " ".join(sentences(access("global", 4, lambda i: 0, 32, 1, operation="atomic", buffer="sum")))
    assert "32 turns of a sector a warp, where 1 would do" in crowd and "go one after the other" in crowd


EVERY_WAY = """
__global__ void k(const float *x, float *y, int *bins, const double *d, const float4 *f, const unsigned char *c) {
    __shared__ float tile[32][32];
    __shared__ double wide[64];
    __shared__ float4 quad[32];
    __shared__ int own[128];
    int t = threadIdx.x;
    tile[t][0] = x[t * 32];
    wide[t * 2] = d[t + 1];
    quad[t] = f[t];
    own[t] = c[t];
    own[t + 32] = own[t + 64] = own[t + 96] = 0;
    __syncwarp();
    y[t] = tile[t / 2][0] + wide[t * 2] + quad[31 - t].y + wide[t / 2 * 4];
    if (t < 20) y[32 + t] = own[3];
    __syncwarp();
    atomicAdd(&bins[t % 5 * 3], t);
    atomicAdd(&own[t % 3 * 32], 1);
    atomicMax(&own[t % 3 * 32], t);
    for (int i = 0; i < 4; i++) y[64 + i * 32 + t] = x[i + t * 2];
}
"""


def test_the_pictures_agree_with_what_the_simulator_counts() -> None:
    sizes = {"x": "1024", "y": "256", "bins": "32", "d": "64", "f": "32", "c": "32"}
    seen = commands.inspect(EVERY_WAY, sizes=sizes, launch="k<<<1, 32>>>(x, y, bins, d, f, c)").inspection
    assert seen.ok, inspection_text(seen)
    assert len(seen.maps) >= 18
    for found in seen.maps:
        drawn = layout(found)
        if found.space == "shared":
            assert len(drawn.rows) == found.units, found
        elif found.operation != "atomic":
            moved = sum(row.count("t") + row.count("m") for row in states(drawn)) * drawn.unit_bytes
            assert moved == found.units * access_map.SECTOR_BYTES, found


def test_a_strip_of_a_row_keeps_the_cells_that_reach_into_it() -> None:
    cells = [Cell(4, "touched", (0,)), Cell(4, "idle")]
    assert access_picture.clip(cells, range(2, 6)) == [Cell(2, "touched", (0,)), Cell(2, "idle")]


def test_the_line_that_costs_most_is_drawn_unless_another_is_asked_for() -> None:
    found, said = say.chosen(GOOD, None)
    assert found is not None and (found.line, said) == (16, "")
    assert "Which lane touches what: line 16" in Pieces(inspection_html(GOOD)).text
    assert "Which lane touches what: line 14" in Pieces(inspection_html(GOOD, line=14)).text
    assert "Line 14 reads 4 bytes" in inspection_text(GOOD, line=14)


def test_a_line_without_an_access_says_which_lines_have_one() -> None:
    for shown in (Pieces(inspection_html(GOOD, line=3)).text, inspection_text(GOOD, line=3)):
        assert "Line 3 has no access to memory that was recorded; lines with one: 14, 16." in shown
    assert "no line has one" in inspection_text(replace(GOOD, maps=()), line=3)


def test_in_text_a_line_that_is_asked_for_shows_all_that_it_does() -> None:
    both = replace(GOOD, maps=(*GOOD.maps, replace(MAPS["shared column"], line=14, operation="load")))
    asked = inspection_text(both, line=14)
    assert "Line 14 reads 4 bytes a lane from shared memory" in asked
    assert asked.count("Line 14 reads") == 2
    assert inspection_text(both).count("Line 14 reads") == 0


def test_maps_of_other_lines_are_there_folded() -> None:
    page = inspection_html(GOOD)
    assert "line 14 reads in: 4 sectors (needed: 4)" in Pieces(page).text


def test_one_of_a_kind_is_spoken_of_as_one() -> None:
    one = replace(MAPS["broadcast"], line=2)
    page = inspection_html(replace(GOOD, maps=(*GOOD.maps, one)))
    assert ": 1 sector (needed: 1)" in Pieces(page).text
    assert measured(Property("intensity", 1.0, 1.0, "times", "simulator", "")) == "1 time"
    assert measured(Property("shared", 1.0, 1.0, "wavefronts for 1", "simulator", "")) == "1 wavefront for 1"
    assert measured(Property("intensity", 0.998, 1.002, "times", "simulator", "")) == "1 time"
    assert measured(Property("shared", 0.5, 2.0, "wavefronts for 1", "simulator", "")) == "2 wavefronts for 1"


def test_of_much_that_is_printed_all_but_the_first_lines_are_folded() -> None:
    few, many = (inspection_html(replace(GOOD, text="".join(f"thread {i}\n" for i in range(n)))) for n in (20, 64))
    assert "more lines" not in few and "thread 19" in few
    assert many.index("thread 19") < many.index("44 more lines") < many.index("thread 20")


def test_in_text_what_was_not_seen_stands_apart_from_the_faults() -> None:
    rows = inspection_text(FAULTY).splitlines()
    (at,) = (i for i, row in enumerate(rows) if row.strip().startswith("Not seen by this run"))
    assert rows[at - 1] == ""


# ---- launches ----


def test_occupancy_names_each_limit_marks_the_least_and_says_what_would_raise_it() -> None:
    for shown in both("good"):
        assert "48 of 64 warps can be resident (75%, theoretical); registers allow no more." in shown
        assert shown.count("the limit") == 1
        assert "With 32 registers a thread instead of 40, 8 blocks fit" in shown
        assert "45 blocks" in shown


def test_where_every_warp_fits_nothing_is_marked_as_the_limit() -> None:
    full = replace(GOOD, launches=(replace(LAUNCH, occupancy=replace(OCCUPANCY, warps=64, advice=())),))
    for shown in (Pieces(inspection_html(full)).text, inspection_text(full)):
        assert "All 64 warps of a multiprocessor can be resident" in shown and "the limit" not in shown


def test_a_resource_that_limits_nothing_is_not_a_huge_number() -> None:
    limits = tuple(
        replace(limit, blocks=65_536) if limit.resource == "registers" else limit for limit in OCCUPANCY.limits
    )
    free = replace(GOOD, launches=(replace(LAUNCH, occupancy=replace(OCCUPANCY, limits=limits, limit="block size")),))
    for shown in (Pieces(inspection_html(free)).text, inspection_text(free)):
        assert "no limit" in shown and "65,536 blocks" not in shown


def test_bytes_say_whether_they_are_counted_or_modelled() -> None:
    kinds = {amount.name: (amount.how, amount.count) for amount in say.amounts((LAUNCH, LAUNCH))}
    assert kinds["asked for by threads"] == ("counted", 2 * LAUNCH.requested_bytes)
    assert kinds["read from DRAM"] == ("modelled", 2 * LAUNCH.dram_read_bytes)
    page = Pieces(inspection_html(GOOD)).text
    assert "8,388,608 (8 MiB)counted" in page and "modelled for H100" in page


def test_shared_memory_that_a_kernel_does_not_use_sets_no_limit() -> None:
    limits = (OccupancyLimit("block size", 8), OccupancyLimit("shared memory", 228), OccupancyLimit("blocks", 32))
    occupancy = replace(OCCUPANCY, limits=limits, limit="block size")
    bare = replace(GOOD, launches=(replace(LAUNCH, shared_bytes=0, occupancy=occupancy),))
    for shown in (inspection_text(bare), inspection_html(bare)):
        assert "no limit" in shown and "228 blocks" not in shown


def test_a_launch_is_told_by_its_shape_and_how_often() -> None:
    assert say.launch_title(LAUNCH) == "transpose: 32 x 32 blocks of 32 x 8 threads"
    one = replace(LAUNCH, grid=(1, 1, 1), blocks=1, block=(256, 1, 1), times=3, line=9)
    assert say.launch_title(one) == "transpose: 1 block of 256 threads, 3 times, line 9"


def test_many_launches_are_folded() -> None:
    many = replace(GOOD, launches=tuple(replace(LAUNCH, kernel=f"k{i}") for i in range(9)))
    assert "5 more launches" in Pieces(inspection_html(many)).text and "5 more launches" in inspection_text(many)


# ---- all forms ----


def test_the_bundle_has_all_three_forms_and_its_json_has_no_nan() -> None:
    bundle = inspection_report(FAULTY)._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html", MIME}
    data = json.loads(json.dumps(bundle[MIME], allow_nan=False))
    assert data["kind"] == "inspection" and data["headline"] == say.headline(FAULTY)
    assert data["inspection"]["faults"][0]["other_line"] == 14
    assert [len(found["lanes"]) for found in data["inspection"]["maps"]] == [32, 32, 32]


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("width", [60, 100])
def test_the_text_form_keeps_to_its_width(name: str, width: int) -> None:
    shown = inspection_text(ALL[name], width=width).splitlines()
    prose = [row for row in shown if not row.startswith(("  coalescing", "  occupancy", "  divergence", "  shared"))]
    assert max(len(row) for row in prose) <= width


def test_every_sentence_of_a_map_belongs_to_its_own_line() -> None:
    assert all(isinstance(found, AccessMap) and f"Line {found.line} " in sentences(found)[0] for found in MAPS.values())
