"""The one table of sub-commands and options, for the command line and the magics alike.

It turns words into a `Request`, or raises UsageError with the nearest option's name. It runs nothing and opens nothing.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NoReturn

from .errors import UsageError, did_you_mean

Front = Literal["cli", "magic"]
CELL_COMMANDS = ("translate", "check", "inspect")  # as a magic these read the cell below them
MAGIC_COMMANDS = ("stop", "pause")  # they act on what a notebook plays beside its cells


class HelpWanted(Exception):
    """`-h` was among the words; the text is what to show."""


@dataclass(frozen=True)
class Option:
    """One row: which sub-commands take it, and how argparse reads it."""

    flags: tuple[str, ...]
    commands: tuple[str, ...]
    help: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    fronts: tuple[Front, ...] = ("cli", "magic")

    @property
    def takes_value(self) -> bool:
        return self.settings.get("action") != "store_true"


def _whole(least: int) -> Any:
    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None
        if value < least:
            raise argparse.ArgumentTypeError(f"{value} is below {least}")
        return value

    return read


def _device(text: str) -> str:
    kind, _, index = text.partition(":")
    if text in ("auto", "simulator") or (kind == "cuda" and index.isdigit()):
        return text
    raise argparse.ArgumentTypeError(f"{text!r} is no device; write auto, simulator or cuda:0")


def _policy(text: str) -> str:
    if text not in POLICIES:
        there = ", ".join(POLICIES)
        raise argparse.ArgumentTypeError(f"{text!r} is no policy{did_you_mean(text, POLICIES)}; there is {there}")
    return text


POLICIES = ("search",)

COMMANDS: dict[str, str] = {
    "translate": "turn a C function into a verified CUDA kernel, over several turns",
    "check": "hold a kernel of your own against a C function, or ModelNew against Model: verdict, reward, what to try",
    "inspect": "run a CUDA kernel of your own, watched: faults, cost of each line, which lane touches what, occupancy",
    "resume": "go on with an episode that was interrupted, stopped or paused, or that may have more turns",
    "stop": "end the translation that is played in the background; its turns are kept",
    "pause": "hold the translation that is played in the background before its next evaluation",
    "rewards": "hold a reward against past episodes, and tune it: ranking, choices, advantages, reward against speed",
    "compare": "put two or more kernels side by side: which is better, and how surely",
    "history": "list past episodes, or show one",
    "show": "draw the report of an episode, a turn, a --json file, or every report in a saved notebook",
    "doctor": "say what this machine has, what is missing and the command that mends it",
}


def offered(front: Front) -> tuple[str, ...]:
    """The sub-commands that a front end has."""
    return tuple(name for name in COMMANDS if front == "magic" or name not in MAGIC_COMMANDS)


def _option(flags: str, commands: str, text: str, fronts: str = "cli magic", **settings: Any) -> Option:
    return Option(tuple(flags.split()), tuple(commands.split()), text, settings, tuple(fronts.split()))  # type: ignore[arg-type]


def _many(flags: str, text: str, metavar: str, commands: str = "translate check inspect compare") -> Option:
    return _option(flags, commands, text, metavar=metavar, action="append", default=[])


_C = "translate check compare"  # the sub-commands that read C
_MANY_NUMBERS: dict[str, Any] = {"metavar": "NAME=NUMBER", "action": "append", "default": []}
_DEVICE: dict[str, Any] = {"type": _device, "default": "auto", "metavar": "NAME"}
_WORDS: dict[str, Any] = {"metavar": "WORDS", "default": ""}
_SWITCH: dict[str, Any] = {"action": "store_true"}
MANY: dict[str, Any] = {"nargs": "*", "default": [], "metavar": "EPISODE"}

OPTIONS: tuple[Option, ...] = (
    _option("file", "translate", "the C file", "cli", metavar="FILE"),
    _option("kernel", "check", "the CUDA file, or a Python file with ModelNew", "cli", metavar="KERNEL"),
    _option("kernel", "inspect", "the CUDA file", "cli", metavar="KERNEL.cu"),
    _option("identity", "resume history", "an episode's name", nargs="?", default="", metavar="EPISODE"),
    _option("names", "rewards", "episodes: variables, --json files, the store's; none: its latest", **MANY),
    _option("names", "compare", "two or more: variables, --json files, episodes, .cu files; saxpy:2: a turn", **MANY),
    _option("name", "show", "a variable, an episode, saxpy:2, a --json file or NOTEBOOK.ipynb", metavar="NAME"),
    _option(
        "-o --out",
        "translate check inspect resume rewards compare show",
        "bind the result to this name",
        "magic",
        metavar="NAME",
    ),
    _option("-o --out", "translate resume", "write the best kernel here", "cli", metavar="KERNEL.cu"),
    _option("--against", "check", "a translation, C file, past episode, or Model (.py)", metavar="NAME", required=True),
    _option("--own-kernels", "check", "of ModelNew: no library may compute in its place", action="store_true"),
    _option("--against", "compare", "what .cu files are held against; else the first episode's task", metavar="NAME"),
    _option("--measure", "compare", "time them anew on the GPU, in pairs with the first", action="store_true"),
    _option("--goal", "check", "a least score: coalescing=0.9", metavar="NAME=SCORE", action="append", default=[]),
    _option("--entry", "translate check compare", "which function, when there are several", metavar="NAME"),
    _option("--entry", "inspect", "which host function, when several launch kernels", metavar="NAME"),
    _many("--launch", "how it is launched: 'k<<<(n+255)/256, 256>>>(x, y, n)'", "LAUNCH", "inspect"),
    _many("--size", "a scalar's value or an array's extent: n=4096, x=n*m", "NAME=SIZE"),
    _many("--range", "values: col=0:cols-1, ptr=0:nnz:ascending, x=0.1:10", "NAME=LOW:HIGH"),
    _many("-D --define", "a macro for the C preprocessor: N=1024", "NAME[=VALUE]"),
    _many("-I --include", "where #include lines are looked up beside the file's folder", "FOLDER", _C),
    _option("--turns", "translate resume", "how many turns at most", type=_whole(1), default=6, metavar="N"),
    _option("--proposals", "translate resume", "choices a turn", type=_whole(1), default=4, metavar="N"),
    _option("--policy", "translate resume", "who proposes: search", type=_policy, default="search", metavar="NAME"),
    _option("--hint", "resume", "words that the next turn reads first: 'tile in shared memory'", **_WORDS),
    _option("--wait", "translate resume", "the cell ends when the work has ended", "magic", **_SWITCH),
    _option("--background", "translate resume", "the cell ends at once, the work goes on", "magic", **_SWITCH),
    _option("--device", "translate check resume compare", "simulator, cuda:0", **_DEVICE),
    _option("--device --arch", "inspect", "the GPU: H100, sm_75", default="sm_90", metavar="GPU"),
    _option("--races", "inspect", "look for races between blocks in global memory too", action="store_true"),
    _option("--line", "inspect", "whose access map is drawn", type=_whole(1), metavar="N"),
    _option(
        "--reward",
        "translate check rewards compare",
        "a reward preset's name or file",
        default="default",
        metavar="PRESET",
    ),
    _option("--seed", "translate check inspect", "seed of inputs and choices", type=_whole(0), default=0, metavar="N"),
    _option("--set", "rewards", "another number: speed=3, speed.high=16, shared.on=no", **_MANY_NUMBERS),
    _option("--all", "rewards", "where none is named: every episode of the store, not its latest alone", **_SWITCH),
    _option("--save", "rewards", "write the reward to this file, for --reward", metavar="FILE.toml"),
    _option("--limit", "history", "how many episodes", type=_whole(1), default=20, metavar="N"),
    _option("--json", "translate resume", "write the episode to this file", metavar="FILE"),
    _option("--json", "check", "write the outcome to this file", metavar="FILE"),
    _option("--json", "compare", "write the comparison to this file", metavar="FILE"),
    _option("--json", "inspect", "write the inspection to this file", metavar="FILE"),
)


@dataclass(frozen=True)
class Request:
    """A sub-command and the values of its options; an option that it does not take reads as None."""

    command: str
    values: Mapping[str, Any]

    def __getattr__(self, name: str) -> Any:
        return self.values.get(name)

    @property
    def sizes(self) -> dict[str, str]:
        return _pairs("--size", self.values.get("size") or ())

    @property
    def ranges(self) -> dict[str, str]:
        return _pairs("--range", self.values.get("range") or ())

    @property
    def launches(self) -> str | None:
        """Every --launch, in their order, as one line; None when there is none."""
        return "; ".join(self.values.get("launch") or ()) or None

    @property
    def defines(self) -> tuple[str, ...]:
        return tuple(text.removeprefix("-D") for text in self.values.get("define") or ())

    @property
    def folders(self) -> tuple[str, ...]:
        """What -I names, as full paths."""
        given = [Path(text.removeprefix("-I")).expanduser() for text in self.values.get("include") or ()]
        for folder in given:
            if not folder.is_dir():
                raise UsageError(f"-I {folder}: there is no such folder")
        return tuple(str(folder.resolve()) for folder in given)


def _pairs(flag: str, texts: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not _is_name(name.strip()) or not value.strip():
            example = "n=4096" if flag == "--size" else "x=0.1:10"
            raise UsageError(f"{flag} {text}: write NAME=VALUE, for example {flag} {example}")
        found[name.strip()] = value.strip()
    return found


def _is_name(text: str) -> bool:
    """A parameter, or a field of a struct: `x`, `p.mass`."""
    return all(part.isidentifier() for part in text.split("."))


class _Parser(argparse.ArgumentParser):
    """argparse that raises instead of ending the process."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{self.prog}: {message.removeprefix('argument ')}")


def flags(command: str, front: Front) -> dict[str, Option]:
    """Every flag that a sub-command takes."""
    rows = (o for o in OPTIONS if command in o.commands and front in o.fronts)
    return {flag: option for option in rows for flag in option.flags if flag.startswith("-")}


def parser(command: str, front: Front) -> argparse.ArgumentParser:
    """The argparse parser of one sub-command."""
    prefix = "cudaperf" if front == "cli" else ("%%cudaperf" if command in CELL_COMMANDS else "%cudaperf")
    made = _Parser(prog=f"{prefix} {command}", description=COMMANDS[command] + ".", add_help=False, allow_abbrev=False)
    made.add_argument("-h", "--help", action="store_true", help="show this text")
    for option in OPTIONS:
        if command in option.commands and front in option.fronts:
            default = option.settings.get("default")
            shown = f"{option.help} (default {default})" if default not in (None, "", []) else option.help
            made.add_argument(*option.flags, help=shown, **option.settings)
    return made


def usage(front: Front) -> str:
    """All sub-commands, each with its one line."""
    start = "cudaperf" if front == "cli" else "%cudaperf"
    rows = "\n".join(f"  {name:<10} {COMMANDS[name]}" for name in offered(front))
    tail = f"{start} COMMAND -h says what a command takes."
    first = f"usage: {start} COMMAND [options]"
    reading = f"{', '.join(CELL_COMMANDS[:-1])} and {CELL_COMMANDS[-1]}"
    cell = "" if front == "cli" else f"   ({reading} read the cell: %%cudaperf translate)"
    return f"{first}{cell}\n\n{rows}\n\n{tail}"


def manual() -> str:
    """The whole text that `?` shows for the magic."""
    return "\n\n".join([usage("magic"), *(parser(name, "magic").format_help() for name in COMMANDS)])


def split(line: str) -> list[str]:
    """A magic line as words, quotes taken off and a trailing # comment dropped."""
    try:
        return shlex.split(line, comments=True)
    except ValueError as problem:
        raise UsageError(f"{line.strip()}: {str(problem).lower()}; close the quote") from None


def parse(words: Sequence[str], front: Front) -> Request:
    """Words to a Request.

    Raises:
        UsageError: one sentence with the nearest name.
        HelpWanted: for -h, or no words at all.
    """
    if not words or words[0] in ("-h", "--help", "help"):
        raise HelpWanted(usage(front))
    command, *rest = words
    if command not in (known_commands := offered(front)):
        advice = did_you_mean(command, known_commands) or f"; there are {', '.join(known_commands)}"
        raise UsageError(f"{command} is no command{advice}")
    known = flags(command, front)
    made = parser(command, front)
    if {"-h", "--help"} & set(rest):
        raise HelpWanted(made.format_help())
    values, unknown = made.parse_known_args(_join_values(_checked(rest, command, known), known))
    if unknown and any("<<<" in word for word in rest):
        raise UsageError(f"{made.prog}: put the launch in quotes: --launch 'kernel<<<blocks, threads>>>(x, y, n)'")
    if unknown:
        raise UsageError(f"{made.prog}: {unknown[0]} is not understood; {made.prog} -h says what it takes")
    return Request(command, vars(values))


def _checked(words: list[str], command: str, known: Mapping[str, Option]) -> list[str]:
    """Refuses an unknown option by name before argparse could blame another word."""
    takes_next = False
    for word in words:
        name = word.split("=", 1)[0]
        if not takes_next and word.startswith("--") and name not in known:
            raise UsageError(f"{command}: {name} is no option{did_you_mean(name, known)}")
        takes_next = word in known and known[word].takes_value
    return words


def _join_values(words: Sequence[str], known: Mapping[str, Option]) -> list[str]:
    """`--define -DN=3` as one word, so that a value may begin with a dash."""
    joined: list[str] = []
    pending = ""
    for word in words:
        if pending:
            joined += [f"{pending}={word}"] if pending.startswith("--") else [pending + word]
            pending = ""
        elif word in known and known[word].takes_value:
            pending = word
        else:
            joined.append(word)
    return [*joined, pending] if pending else joined
