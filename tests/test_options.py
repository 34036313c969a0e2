"""The one table of options: words in, a Request out, and one sentence for what is not understood."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cudaperf_magic import options
from cudaperf_magic.errors import UsageError


def request(line: str) -> options.Request:
    return options.parse(options.split(line), "magic")


def refusal(line: str) -> str:
    with pytest.raises(UsageError) as caught:
        request(line)
    return str(caught.value)


def test_the_defaults_are_those_that_the_help_states() -> None:
    found = request("translate")
    assert (found.turns, found.proposals, found.policy, found.device) == (6, 4, "search", "auto")
    assert (found.reward, found.seed, found.sizes, found.ranges) == ("default", 0, {}, {})
    text = options.parser("translate", "magic").format_help()
    assert "(default 6)" in text and "(default search)" in text


def test_quotes_are_taken_off_and_a_comment_is_dropped() -> None:
    found = request("translate --size 'x = n*m' --size n=4096 -o saxpy  # the first try")
    assert found.sizes == {"x": "n*m", "n": "4096"}
    assert found.out == "saxpy"


def test_a_value_may_begin_with_a_dash() -> None:
    assert request("translate --define -DN=3 -DM=4 --range x=-1:1").defines == ("N=3", "M=4")
    assert request("translate --range x=-1:1").ranges == {"x": "-1:1"}
    assert request("inspect --range p.mass=0:1").ranges == {"p.mass": "0:1"}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("translate --trns 3", "--trns is no option; did you mean --turns?"),
        ("translat", "translat is no command; did you mean translate?"),
        ("translate --turns 0", "--turns: 0 is below 1"),
        ("translate --turns many", "--turns: 'many' is not a whole number"),
        ("translate --turns", "--turns: expected one argument"),
        ("translate --device gpu", "'gpu' is no device; write auto, simulator or cuda:0"),
        ("translate --policy serch", "'serch' is no policy; did you mean search?"),
        ("translate 'x", "close the quote"),
        ("translate leftover", "leftover is not understood"),
        ("check", "--against"),
    ],
)
def test_a_refusal_is_one_sentence_that_names_the_option(line: str, words: str) -> None:
    found = refusal(line)
    assert words in found
    assert "\n" not in found


@pytest.mark.parametrize("size", ["n", "=4", "n=", "2n=4"])
def test_a_size_without_name_or_value_is_refused_with_an_example(size: str) -> None:
    with pytest.raises(UsageError, match="write NAME=VALUE, for example --size n=4096"):
        _ = request(f"translate --size {size}").sizes


@pytest.mark.parametrize("command", options.COMMANDS)
def test_help_of_a_command_names_each_of_its_options(command: str) -> None:
    for front in ("cli", "magic"):
        if command not in options.offered(front):  # type: ignore[arg-type]
            continue
        with pytest.raises(options.HelpWanted) as wanted:
            options.parse([command, "-h"], front)  # type: ignore[arg-type]
        for flag in options.flags(command, front):  # type: ignore[arg-type]
            assert flag in str(wanted.value)


def test_both_fronts_have_the_same_options_but_for_files_names_and_what_a_cell_waits_for() -> None:
    for command in options.offered("cli"):
        in_a_cell = set(options.flags(command, "magic")) - {"--wait", "--background"}
        assert set(options.flags(command, "cli")) == in_a_cell - (
            {"-o", "--out"} if command in ("check", "inspect", "rewards", "compare", "show") else set()
        )


def test_what_acts_on_a_notebooks_background_is_no_command_of_the_terminal() -> None:
    for command in options.MAGIC_COMMANDS:
        assert options.parse([command], "magic").command == command
        with pytest.raises(UsageError, match=f"{command} is no command"):
            options.parse([command], "cli")


@given(st.lists(st.text(max_size=12), max_size=5))
def test_no_words_end_in_anything_but_a_request_a_refusal_or_help(words: list[str]) -> None:
    for front in ("cli", "magic"):
        try:
            found = options.parse(["translate", *words], front)  # type: ignore[arg-type]
        except (UsageError, options.HelpWanted):
            continue
        assert found.command == "translate"
