"""`%cudaperf` and `%%cudaperf`: a line and a cell become a Request, a public function's call, and an object that shows
itself. Nothing is decided here; options are in options.py, the work in commands.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from IPython.core.completer import CompletionContext, SimpleCompletion, context_matcher
from IPython.core.magic import Magics, line_cell_magic, magics_class, no_var_expand
from IPython.display import display

from .. import arguments, background, commands, doctor, options
from ..compared import Compared
from ..errors import NotBuilt, NotVerified, UsageError
from ..inspected import Inspected
from ..options import Request
from ..records import Task
from ..translation import Checked, Translation
from ..tuned import Tuned
from ..watching import Watch
from . import beside, front_end
from .live import NotebookView, view_for
from .tuner import Tuner
from .words import first_line, headline

MAGIC = "cudaperf"
STOPPED_S = 5.0  # how long `stop` waits for the end, so as to say it


@dataclass(frozen=True)
class Shown:
    """Text that shows itself as it is, not quoted: what -h answers with."""

    text: str

    def __repr__(self) -> str:
        return self.text


@magics_class
class CudaperfMagics(Magics):
    """The magic; one method a sub-command."""

    shell: Any  # an InteractiveShell, once it is registered

    @no_var_expand
    @line_cell_magic
    def cudaperf(self, line: str, cell: str | None = None) -> Any:
        try:
            request = options.parse(options.split(line), "magic")
        except options.HelpWanted as wanted:
            return Shown(str(wanted))
        reads_cell = request.command in options.CELL_COMMANDS
        if reads_cell and not (cell or "").strip():
            programs = {"translate": "the C function", "check": "the CUDA program, or ModelNew,"}
            what = programs.get(request.command, "the CUDA program")
            raise UsageError(f"%%cudaperf {request.command} reads {what} from the cell below its line, which is empty")
        if not reads_cell and (cell or "").strip():
            raise UsageError(f"{request.command} reads no cell; write %cudaperf {request.command} on one line")
        # The magic's own line is line 1 of the cell: a blank one in its place keeps every line number the editor's.
        return getattr(self, f"_{request.command}")(request, f"\n{cell}")

    def _translate(self, request: Request, cell: str) -> Translation | None:
        settings = arguments.playing(request)
        return self._play(request, lambda watch: commands.begin(cell, **settings, watch=watch))

    def _resume(self, request: Request, _: str) -> Translation | Shown | None:
        held = background.current()
        if held is not None and held.state == "paused" and held.is_named(request.identity):
            held.unpause()
            return Shown(held.where)
        background.refuse_active(request.identity)
        settings = arguments.resuming(request)
        return self._play(request, lambda watch: commands.begin_again(**settings, watch=watch))

    def _stop(self, _: Request, __: str) -> Shown:
        work = background.current()
        if work is None or not work.stop():
            return Shown("nothing is played in the background")
        work.wait(STOPPED_S)
        return Shown(f"{work.where}; %cudaperf resume goes on" if work.state == "ended" else f"{work.where}: stopping")

    def _pause(self, _: Request, __: str) -> Shown:
        work = background.current()
        if work is None or not work.pause():
            return Shown("nothing is played in the background" if work is None else work.where)
        return Shown(f"{work.where}; %cudaperf resume goes on")

    def _play(self, request: Request, begin: Callable[[Watch | None], commands.Play]) -> Translation | None:
        """In the background where a person sits before the notebook, or as it was asked; else in this cell."""
        self._refuse_name(request)
        if request.wait and request.background:
            raise UsageError("--wait and --background exclude each other")
        if request.background or (front_end.is_interactive(self.shell) and not request.wait):
            result = beside.play(self.shell, request, begin)
            self._keep(request, result)
            self.shell.displayhook.update_user_ns(result)  # `_` has it; the view is shown already
            return None
        with view_for(self.shell, request.turns) as view:
            background.wait_for_all(getattr(view, "say", print))
            with begin(view if isinstance(view, NotebookView) else None) as playing:
                return self._played(request, view, playing)

    def _played(self, request: Request, view: Any, playing: commands.Play) -> Translation:
        view.begin(playing.episode)
        for episode in playing:
            view.show(episode)
        result = Translation(playing.episode, playing.bench.device, request.out or "")
        self._keep(request, result)
        arguments.write_json(request.json, result.episode)
        if not result.is_answer:
            display(result)  # type: ignore[no-untyped-call]
            raise NotVerified(headline(result.episode))
        return result

    def _check(self, request: Request, cell: str) -> Checked:
        result = commands.check(cell, self._against(request), **arguments.checking(request))
        self._keep(request, result)
        arguments.write_json(request.json, result.outcome)
        if not result.ok:
            display(result)  # type: ignore[no-untyped-call]
            raise NotVerified(result.shortfall)
        return result

    def _inspect(self, request: Request, cell: str) -> Inspected:
        """Faults are what was asked for, and leave the cell green; a kernel that does not compile fails it."""
        result = commands.inspect(cell, arrays=self.shell.user_ns, **arguments.inspecting(request))
        self._keep(request, result)
        arguments.write_json(request.json, result.inspection)
        if not result.inspection.build.ok:
            display(result)  # type: ignore[no-untyped-call]
            raise NotBuilt(f"It does not compile: {first_line(result.inspection.build.log)}")
        return result

    def _rewards(self, request: Request, _: str) -> Tuned | None:
        """Where there are widgets, sliders over a page that follows them; else the page alone."""
        result = commands.rewards(namespace=self.shell.user_ns, **arguments.rewarding(request))
        arguments.save_reward(request.save, result.preset)
        self._keep(request, result)
        if not front_end.has_widgets(self.shell):
            return result
        Tuner(result).show()
        return None

    def _compare(self, request: Request, _: str) -> Compared:
        result = commands.compare(**arguments.comparing(request, self.shell.user_ns))
        self._keep(request, result)
        arguments.write_data(request.json, result.data)
        return result

    def _show(self, request: Request, _: str) -> Any:
        result = commands.show(request.name, namespace=self.shell.user_ns)
        self._keep(request, result)
        return result

    def _history(self, request: Request, _: str) -> Any:
        return commands.load(request.identity) if request.identity else commands.history(request.limit)

    def _doctor(self, request: Request, _: str) -> Any:
        return doctor.examine()

    def _keep(self, request: Request, result: object) -> None:
        self._refuse_name(request)
        if request.out is not None:
            self.shell.user_ns[request.out] = result

    def _refuse_name(self, request: Request) -> None:
        if request.out is not None and not request.out.isidentifier():
            raise UsageError(f"-o {request.out}: write a Python name")

    def _against(self, request: Request) -> Task:
        return arguments.against(request, self.shell.user_ns)


@context_matcher()  # type: ignore[untyped-decorator]
def complete(context: CompletionContext) -> dict[str, Any]:
    """Sub-commands and options after %cudaperf; nothing else is offered there."""
    first = context.full_text.splitlines()[0] if context.full_text else ""
    if context.cursor_line != 0 or not first.lstrip().startswith((f"%{MAGIC} ", f"%%{MAGIC} ")):
        return {"completions": []}
    before = context.line_with_cursor[: context.cursor_position].split(" ")
    typed, earlier = before[-1], [word for word in before[1:-1] if word]
    if not earlier:
        names = list(options.offered("magic"))
    else:
        names = [flag for flag in options.flags(earlier[0], "magic") if flag.startswith("--")]
    found = [SimpleCompletion(text=name, type="param") for name in names if name.startswith(typed)]
    return {"completions": found, "suppress": True, "matched_fragment": typed}


def register(shell: Any) -> None:
    """What `%load_ext cudaperf_magic` does."""
    shell.register_magics(CudaperfMagics)
    CudaperfMagics.cudaperf.__doc__ = options.manual()
    if complete not in shell.Completer.custom_matchers:
        shell.Completer.custom_matchers.append(complete)


def unregister(shell: Any) -> None:
    """What `%unload_ext cudaperf_magic` does."""
    for kind in ("line", "cell"):
        shell.magics_manager.magics[kind].pop(MAGIC, None)
    if complete in shell.Completer.custom_matchers:
        shell.Completer.custom_matchers.remove(complete)
