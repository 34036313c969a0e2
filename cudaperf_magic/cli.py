"""The command `cudaperf`: options to a public function's call, a view to the terminal, a verdict to the exit status.

0: a verified translation, a reasoned KEEP, or a kernel that passed its check. 1: none. 2: the input or the machine is
not as it should be, said in one sentence on the standard error. 130: interrupted.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version
from shutil import get_terminal_size

from . import arguments, commands, options
from .errors import CudaperfError
from .notebook.terminal import TerminalView, fitted
from .options import Request
from .whole_files import write_whole

FOUND, NONE, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130


def main(words: Sequence[str] | None = None) -> int:
    """Run one sub-command; returns the exit status."""
    words = sys.argv[1:] if words is None else words
    if list(words) == ["--version"]:
        print(f"cudaperf-magic {version('cudaperf-magic')}")
        return FOUND
    try:
        request = options.parse(words, "cli")
        return _COMMANDS[request.command](request)
    except options.HelpWanted as wanted:
        print(wanted)
        return FOUND
    except CudaperfError as problem:
        print(f"cudaperf: {str(problem).removeprefix('cudaperf ')}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        way = "; `cudaperf resume` goes on" if next(iter(words), "") in ("translate", "resume") else ""
        print(f"cudaperf: interrupted{way}", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has gone (`| head`); the work is in the store.
        sys.stderr.close()
        return FOUND


def _print(text: str) -> None:
    """To a terminal in lines that fit it; to a file or a pipe as it is."""
    print(fitted(text, get_terminal_size().columns) if sys.stdout.isatty() else text)


def _translate(request: Request) -> int:
    arguments.refuse_unwritable(request.json, request.out)
    source, settings = commands.file_text(request.file), arguments.playing(request)
    settings["folders"] = (commands.folder_of(request.file), *settings["folders"])
    with TerminalView(request.turns) as view, commands.begin(source, **settings) as playing:
        return _played(request, view, playing)


def _resume(request: Request) -> int:
    arguments.refuse_unwritable(request.json, request.out)
    with TerminalView(request.turns) as view, commands.begin_again(**arguments.resuming(request)) as playing:
        return _played(request, view, playing)


def _played(request: Request, view: TerminalView, playing: commands.Play) -> int:
    view.begin(playing.episode)
    for episode in playing:
        view.show(episode)
    result = playing.translation
    arguments.write_json(request.json, result.episode)
    if request.out and result.source:
        write_whole(request.out, result.source)
    view.end(result.report.text)
    return FOUND if result.is_answer else NONE


def _check(request: Request) -> int:
    arguments.refuse_unwritable(request.json)
    task = arguments.against(request)
    result = commands.check(commands.file_text(request.kernel), task, **arguments.checking(request))
    arguments.write_json(request.json, result.outcome)
    _print(result.report.text)
    return FOUND if result.ok else NONE


def _inspect(request: Request) -> int:
    arguments.refuse_unwritable(request.json)
    result = commands.inspect(commands.file_text(request.kernel), **arguments.inspecting(request))
    arguments.write_json(request.json, result.inspection)
    _print(result.report.text)
    return FOUND if result.ok else NONE


def _rewards(request: Request) -> int:
    result = commands.rewards(**arguments.rewarding(request))
    arguments.save_reward(request.save, result.preset)
    _print(result.text)
    return FOUND


def _compare(request: Request) -> int:
    arguments.refuse_unwritable(request.json)
    result = commands.compare(**arguments.comparing(request))
    arguments.write_data(request.json, result.data)
    _print(result.text)
    return FOUND


def _show(request: Request) -> int:
    _print(commands.show(request.name).text)
    return FOUND


def _history(request: Request) -> int:
    _print(commands.load(request.identity).report.text if request.identity else str(commands.history(request.limit)))
    return FOUND


def _doctor(_: Request) -> int:
    from .doctor import examine

    diagnosis = examine()
    print(diagnosis)
    return FOUND if diagnosis.is_ready else NONE


_COMMANDS: dict[str, Callable[[Request], int]] = {
    "translate": _translate,
    "check": _check,
    "inspect": _inspect,
    "resume": _resume,
    "rewards": _rewards,
    "compare": _compare,
    "history": _history,
    "show": _show,
    "doctor": _doctor,
}
