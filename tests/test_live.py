"""Work beside the cells: threads that stop, hold and go on, with the real loop and store behind a scripted bench."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fronts import BETTER, GOOD, NAIVE, Stage, StagedBench, shell_with_magic, stage

from cudaperf_magic import background, commands, records_json
from cudaperf_magic.background import Running, Work
from cudaperf_magic.bench import sandbox
from cudaperf_magic.errors import NotVerified, ToolchainError, UsageError
from cudaperf_magic.fakes import SAXPY
from cudaperf_magic.notebook import front_end, progress
from cudaperf_magic.records import Candidate, Episode, Outcome, Task
from cudaperf_magic.store import Store

__all__ = ["stage"]

LONG_S = 60.0  # a test that needs this long has failed
SOON_S = 2.0  # within which a stop has to take effect; about one second is promised, on a machine that is not shared


class SlowBench(StagedBench):
    """Says when it evaluates, and goes on when it is let. `how` is what it waits with."""

    def __init__(self, outcomes: Any, how: Callable[[], object] | None = None) -> None:
        super().__init__(outcomes)
        self.begun, self.may_end = threading.Event(), threading.Event()
        self.how = how

    def evaluate(self, task: Task, candidate: Candidate) -> Outcome:
        self.begun.set()
        if self.how is not None:
            self.how()
        while not self.may_end.wait(0.02):
            pass
        return super().evaluate(task, candidate)


@pytest.fixture
def slow(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> SlowBench:
    bench = SlowBench(stage.outcomes)

    def opened(device: str) -> SlowBench:
        bench.is_closed = False
        return bench

    monkeypatch.setattr(commands, "open_bench", opened)
    return bench


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    yield
    background.stop_all()
    for work in background.active():
        assert work.wait(LONG_S)
    assert background.active() == ()


def start(turns: int = 4, **how: Any) -> Work:
    work = Work(**how)
    work.start(commands.begin(SAXPY.source, turns=turns, watch=work), proposals=4, device="simulator")
    return work


def until(is_so: Callable[[], object]) -> None:
    end = time.monotonic() + LONG_S
    while not is_so():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.01)


def test_work_ends_by_itself_and_its_translation_is_an_ordinary_one(stage: Stage) -> None:
    work = start()
    result = Running(work, "kernel")
    assert result.source == BETTER
    assert len(result.episode.turns) == 4 and result.decision == "translate"
    assert "Call kernel(n, a, x, y)" in result.report.html
    assert work.state == "ended" and stage.benches[0].is_closed
    assert "verified" in repr(result)


def test_a_running_translation_shows_where_it_stands_without_waiting(stage: Stage, slow: SlowBench) -> None:
    work = start()
    result = Running(work)
    assert slow.begun.wait(LONG_S)
    assert "saxpy: turn 1 of 4, evaluating" in repr(result)
    assert result._repr_mimebundle_() == {"text/plain": repr(result)}
    slow.may_end.set()
    assert "text/html" in (result.episode and result._repr_mimebundle_())


def test_a_stop_keeps_the_turns_and_the_episode_can_be_gone_on_with(stage: Stage, slow: SlowBench) -> None:
    slow.may_end.set()
    seen: list[int] = []

    def third_turn_is_slow(work: Work) -> None:
        if work.episode is not None and len(work.episode.turns) == 3:
            slow.may_end.clear()
        seen.append(len(work.episode.turns) if work.episode else 0)

    work = start(observer=third_turn_is_slow)
    until(lambda: not slow.may_end.is_set())
    began = time.monotonic()
    assert work.stop()
    assert work.wait(LONG_S) and time.monotonic() - began < SOON_S
    assert work.was_stopped and slow.is_closed
    assert work.episode is not None and work.episode.stopped == "interrupted"
    (entry,) = Store().unfinished()
    assert (entry.identity, entry.turns, entry.stopped) == (work.episode.identity, 3, "interrupted")
    slow.may_end.set()
    work.observer = None
    work.again(turns=4, hint="unroll by four")
    episode = Running(work).episode
    assert len(episode.turns) == 4 and episode.stopped == "all turns are used up"
    assert [hint.words for hint in episode.hints] == ["unroll by four"]
    assert "unroll by four" in episode.turns[2].reflection


def test_a_stop_while_the_policy_thinks_takes_effect(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = threading.Event()

    class Thinker:
        name = "thinker"

        def propose(self, episode: Episode) -> Any:
            begun.set()
            while True:
                sum(range(1000))

    monkeypatch.setattr(commands, "open_policy", lambda *_, **__: Thinker())
    work = start()
    assert begun.wait(LONG_S)
    assert work.stop() and work.wait(SOON_S)
    assert work.was_stopped and Store().unfinished()[0].turns == 0


def test_a_stop_while_a_child_runs_leaves_no_child(stage: Stage, slow: SlowBench) -> None:
    import psutil

    sandbox.stop()  # the children of earlier tests, prepared ones among them
    with sandbox.open_session(_sleep_for_ever, memory_bytes=1 << 30):
        pass  # the server is there
    slow.how = _wait_for_a_child
    work = start()
    assert slow.begun.wait(LONG_S)
    until(lambda: any(_is_sleeper(child) for child in psutil.Process().children(recursive=True)))
    assert work.stop() and work.wait(SOON_S)
    until(lambda: not any(_is_sleeper(child) for child in psutil.Process().children(recursive=True)))
    sandbox.stop()


def _sleep_for_ever(line: Any) -> None:
    time.sleep(LONG_S)


def _wait_for_a_child() -> None:
    sandbox.run_in_child(time.sleep, LONG_S, timeout_s=LONG_S, memory_bytes=1 << 30)


def _is_sleeper(child: Any) -> bool:
    """A child of a server, not the server: it has no server's arguments of its own but a server as its parent."""
    import psutil

    try:
        parent = child.parent()
        return parent is not None and parent.pid != psutil.Process().pid and child.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def test_a_pause_holds_before_the_next_evaluation_and_counts_no_time(stage: Stage, slow: SlowBench) -> None:
    work = start()
    assert slow.begun.wait(LONG_S)
    assert work.pause() and work.state == "paused" and not work.pause()
    slow.may_end.set()  # the one that runs may end
    until(lambda: work.episode and len(work.episode.turns) == 1)
    time.sleep(0.3)
    assert len(slow.evaluated) == 1 and work.paused_s >= 0.3
    assert "paused" in work.where
    assert work.unpause() and not work.unpause()
    assert len(Running(work).episode.turns) == 4


def test_paused_work_can_be_stopped(stage: Stage, slow: SlowBench) -> None:
    work = start()
    assert slow.begun.wait(LONG_S) and work.pause()
    slow.may_end.set()
    until(lambda: work.episode and len(work.episode.turns) == 1)
    assert work.stop() and work.wait(SOON_S)
    assert work.episode is not None and work.episode.stopped == "interrupted"


def test_two_works_play_one_after_the_other_and_the_second_says_that_it_waits(stage: Stage, slow: SlowBench) -> None:
    first = start()
    assert slow.begun.wait(LONG_S)
    second = start()
    assert second.state == "waiting" and "waits until another translation has ended" in second.where
    slow.may_end.set()
    assert first.wait(LONG_S) and second.wait(LONG_S)
    assert [len(work.episode.turns) for work in (first, second) if work.episode] == [4, 4]


def test_work_that_waits_for_its_turn_can_be_stopped(stage: Stage, slow: SlowBench) -> None:
    first = start()
    assert slow.begun.wait(LONG_S)
    second = start()
    assert second.stop() and second.wait(SOON_S)
    assert first.state == "running"


def test_an_interrupt_of_the_idle_kernel_stops_everything(stage: Stage, slow: SlowBench) -> None:
    first = start()
    assert slow.begun.wait(LONG_S)
    second = start()
    background.stop_all()
    assert first.wait(SOON_S) and second.wait(SOON_S)
    assert len(slow.evaluated) == 0


def test_a_stop_after_the_end_does_nothing(stage: Stage) -> None:
    work = start()
    assert work.wait(LONG_S)
    assert not work.stop() and not work.pause() and not work.was_stopped


@pytest.mark.parametrize("delay_ms", range(0, 40, 4))
def test_a_stop_at_any_moment_leaves_a_whole_episode(stage: Stage, delay_ms: int) -> None:
    stage.script = GOOD * 3
    work = start(12)
    time.sleep(delay_ms / 1000)
    work.stop()
    assert work.wait(LONG_S) and work.error is None
    assert all(bench.is_closed for bench in stage.benches)
    for entry in Store().recent():
        kept = Store().load(entry.identity)
        resumable = {unfinished.identity for unfinished in Store().unfinished()}
        assert kept.stopped not in ("", "interrupted") or kept.identity in resumable
        assert work.episode is not None and len(kept.turns) >= len(work.episode.turns)


def test_what_fails_is_raised_once_and_its_report_is_there_afterwards(stage: Stage) -> None:
    stage.script = ["broken"]
    result = Running(start())
    with pytest.raises(NotVerified, match="no verified kernel in 1 turn"):
        _ = result.source
    assert "does not build" in result.report.html


def test_a_machine_that_fails_is_raised_at_every_use(stage: Stage) -> None:
    stage.outcomes[NAIVE] = ToolchainError("there is no compiler")
    result = Running(start())
    for _ in range(2):
        with pytest.raises(ToolchainError, match="there is no compiler"):
            _ = result.source
    assert "there is no compiler" in repr(result)
    assert Store().unfinished()[0].turns == 2


def test_an_episode_that_is_played_cannot_be_gone_on_with_elsewhere(stage: Stage, slow: SlowBench) -> None:
    slow.may_end.set()
    work = start(observer=lambda work: slow.may_end.clear() if work.episode and work.episode.turns else None)
    until(lambda: work.episode and work.episode.turns)
    assert work.episode is not None
    for name in ("", work.episode.identity, work.episode.identity[:8]):
        with pytest.raises(UsageError, match="it is being played already"):
            background.refuse_active(name)
    background.refuse_active("other-1234")
    with pytest.raises(UsageError, match="stop it first"):
        work.again(turns=9)


def test_servers_that_another_thread_needs_outlive_a_bench(stage: Stage) -> None:
    sandbox.start()
    with sandbox.held():
        sandbox.rest()
        from cudaperf_magic.bench.sandbox_servers import SERVERS

        assert SERVERS["plain"].pid is not None
    sandbox.rest()
    assert SERVERS["plain"].pid is None


# ---- what is drawn ----


def long_episode(stage: Stage, turns: int) -> Episode:
    (*_, last) = commands.begin(SAXPY.source, turns=4)
    stage.benches[-1].close()
    assert last.best is not None
    return replace(last, turns=tuple(replace(turn) for turn in last.turns * (turns // 4)), stopped="")


def test_the_page_of_an_episode_does_not_grow_with_its_turns(stage: Stage) -> None:
    few, many = (progress.turns_html(long_episode(stage, turns)) for turns in (32, 400))
    assert len(many) < len(few) + 200
    assert "384 turns before, 192 of them right" in many and "best so far: turn 4 ★" in many
    assert " 400 ·" in many


def test_time_left_is_judged_by_the_turns_played_since_it_went_on(stage: Stage) -> None:
    episode = long_episode(stage, 8)
    line = progress.Progress(episode, 12, so_far_s=20.0, last_at_s=20.0, first=6).line
    assert "about 40 s left" in line
    assert "left" not in progress.Progress(episode, 12, 20.0, 20.0, first=8).line


class Kernel:
    def __init__(self, request: dict[str, Any]) -> None:
        self.request = request

    def get_parent(self, channel: str) -> dict[str, Any]:
        return self.request


@pytest.mark.parametrize(
    ("content", "metadata", "is_interactive"),
    [
        ({"allow_stdin": True}, {"cellId": "a1"}, True),  # JupyterLab, Notebook
        ({"allow_stdin": False}, {}, False),  # nbclient, nbconvert, papermill
        ({"allow_stdin": False}, {"cellId": "a1"}, False),
        ({"allow_stdin": True}, {}, False),  # a console
        ({}, {}, False),
    ],
)
def test_only_a_notebook_with_a_person_before_it_is_interactive(
    content: dict[str, Any], metadata: dict[str, Any], is_interactive: bool
) -> None:
    shell = type("Shell", (), {"kernel": Kernel({"content": content, "metadata": metadata})})()
    assert front_end.is_interactive(shell) is is_interactive
    assert not front_end.is_interactive(object())


def test_the_json_file_is_there_when_the_result_is(stage: Stage, tmp_path: Path) -> None:
    file = tmp_path / "saxpy.json"
    work = start(finish=lambda ended: file.write_text(records_json.dumps(ended.episode)) and None)
    assert Running(work).episode.turns
    assert len(json.loads(file.read_text())["turns"]) == 4


# ---- from a shell ----


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    with shell_with_magic(tmp_path, monkeypatch) as made:
        yield made
        background.stop_all()
        for work in background.active():
            work.wait(LONG_S)


def run(shell: Any, line: str, cell: str = SAXPY.source) -> Any:
    result = shell.run_cell(f"%%cudaperf {line}\n{cell}" if cell else f"%cudaperf {line}")
    result.raise_error()
    return result.result


def test_a_cell_in_the_background_ends_at_once_and_binds_its_name(stage: Stage, slow: SlowBench, shell: Any) -> None:
    assert run(shell, "translate --background -o kernel --turns 4") is None
    kernel = shell.user_ns["kernel"]
    assert isinstance(kernel, Running) and shell.user_ns["_"] is kernel
    assert "turn 1 of 4" in repr(kernel)
    slow.may_end.set()
    assert kernel.source == BETTER
    assert run(shell, "check --against kernel -o mine", BETTER).ok


def test_line_magics_hold_go_on_and_stop(stage: Stage, slow: SlowBench, shell: Any) -> None:
    for command in ("stop", "pause"):
        assert "nothing is played in the background" in str(run(shell, command, ""))
    run(shell, "translate --background -o kernel --turns 4")
    assert slow.begun.wait(LONG_S)
    assert "paused; %cudaperf resume goes on" in str(run(shell, "pause", ""))
    assert "turn 1 of 4" in str(run(shell, "resume", ""))
    with pytest.raises(UsageError, match="it is being played already"):
        run(shell, "resume", "")
    assert "%cudaperf resume goes on" in str(run(shell, "stop", ""))
    assert background.active() == ()
    slow.may_end.set()
    assert run(shell, "resume --wait --turns 4", "").source == BETTER


def test_a_cell_that_waits_lets_what_is_in_the_background_end_first(
    stage: Stage, slow: SlowBench, shell: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    run(shell, "translate --background -o first --turns 4")
    assert slow.begun.wait(LONG_S)
    threading.Timer(0.2, slow.may_end.set).start()
    second = run(shell, "translate --wait --turns 4")
    assert shell.user_ns["first"].work.state == "ended" and second.source == BETTER
    assert "waits for 1 translation in the background" in capsys.readouterr().out


def test_a_name_that_is_misspelt_is_said_at_once_while_another_is_played(
    stage: Stage, slow: SlowBench, shell: Any
) -> None:
    run(shell, "translate --background -o kernel --turns 4")
    assert slow.begun.wait(LONG_S)
    with pytest.raises(UsageError, match=r"nothing is named kernle.*did you mean kernel"):
        run(shell, "rewards kernle", "")
    assert background.active()


def test_options_that_exclude_each_other_and_bad_names_are_refused_before_anything_runs(
    stage: Stage, shell: Any
) -> None:
    with pytest.raises(UsageError, match="exclude each other"):
        run(shell, "translate --wait --background")
    with pytest.raises(UsageError, match="write a Python name"):
        run(shell, "translate --background -o 2x")
    assert stage.asked == {} and background.active() == ()


class Bundles:
    def __init__(self) -> None:
        self.shown: list[dict[str, Any]] = []

    def display(self, bundle: dict[str, Any], raw: bool) -> None:
        self.shown.append(bundle)

    update = display


@pytest.mark.parametrize("has_widgets", [True, False])
def test_the_report_takes_the_views_place_with_or_without_widgets(
    stage: Stage, slow: SlowBench, shell: Any, monkeypatch: pytest.MonkeyPatch, has_widgets: bool
) -> None:
    bundles = Bundles()
    monkeypatch.setattr("IPython.display.DisplayHandle", lambda: bundles)
    monkeypatch.setattr(front_end, "has_display", lambda shell: True)
    monkeypatch.setattr(front_end, "has_widgets", lambda shell: has_widgets)
    run(shell, "translate --background -o kernel --turns 4")
    assert slow.begun.wait(LONG_S)
    background.active()[0].pause()
    assert "%cudaperf resume goes on" in bundles.shown[-1]["text/html"]
    background.active()[0].unpause()
    assert "%cudaperf stop ends it" in bundles.shown[-1]["text/html"]
    slow.may_end.set()
    kernel = shell.user_ns["kernel"]
    assert kernel.source == BETTER
    until(lambda: "application/vnd.cudaperf.report+json" in bundles.shown[-1])
    assert bundles.shown[-1]["text/html"].count("verified CUDA") >= 1
    assert "Call kernel(n, a, x, y)" in bundles.shown[-1]["text/html"]


def test_the_form_goes_on_with_a_hint_and_says_what_is_wrong(stage: Stage, slow: SlowBench) -> None:
    from cudaperf_magic.notebook.controls import Controls

    slow.may_end.set()
    work = start(3)
    assert work.wait(LONG_S)
    controls = Controls(work)
    assert controls._form.layout.display == "flex" and controls._playing.layout.display == "none"
    work.observer = controls.heard
    controls.turns.value, controls.hint.value = 4, "x" * 5000
    controls.go_on.click()
    assert "✗" in controls.said.value and work.state == "ended"
    controls.hint.value = "four at a time"
    controls.go_on.click()
    assert work.wait(LONG_S) and work.episode is not None
    assert len(work.episode.turns) == 4 and controls.hint.value == ""
    until(lambda: controls._form.layout.display == "flex")


@pytest.mark.filterwarnings("default")
def test_a_kernel_that_is_shut_down_leaves_no_process_and_an_episode_to_go_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import psutil
    from jupyter_client.manager import start_new_kernel

    monkeypatch.setenv("CUDAPERF_STORE", str(tmp_path / "episodes.db"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    manager, client = start_new_kernel(cwd=str(Path(__file__).parent))
    try:
        said: list[str] = []
        for code in (
            "import slow_stage, test_live; slow_stage.put_up(); slow_stage.TakingItsTime.evaluate = "
            "lambda *_: test_live._wait_for_a_child()",
            "%load_ext cudaperf_magic",
            "%%cudaperf translate --background -o kernel\nvoid saxpy(void);",
        ):
            reply = client.execute_interactive(code, timeout=LONG_S, output_hook=lambda found: said.append(str(found)))
            assert reply["content"]["status"] == "ok", said
        kernel = psutil.Process(manager.provisioner.pid)  # type: ignore[union-attr]
        until(lambda: len(kernel.children(recursive=True)) >= 2)
        children = kernel.children(recursive=True)
    finally:
        client.stop_channels()
        manager.shutdown_kernel()
    _, alive = psutil.wait_procs(children, timeout=SOON_S)
    assert alive == []
    (entry,) = Store().unfinished()
    assert entry.turns == 0
