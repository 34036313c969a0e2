"""Buttons below a live view: Stop, Pause and Resume while it is played, and a form to go on with it afterwards.

Core ipywidgets, an output of their own: where they are not shown, the view has sentences that do the same. They act on
a `Work`; what it does is background.py's.
"""

from __future__ import annotations

from ..background import Work
from ..errors import CudaperfError
from ..options import POLICIES
from . import markup

MORE_TURNS = 6
MOST_TURNS = 10_000
ROW = {"flex_flow": "row wrap", "align_items": "center"}


class Controls:
    """`box` is what to display; `heard` follows the work."""

    def __init__(self, work: Work) -> None:
        import ipywidgets

        self.work = work
        self.stop = ipywidgets.Button(description="Stop", icon="stop", layout={"width": "90px"})
        self.stop.tooltip = "End it now; the turns that were played are kept"
        self.pause = ipywidgets.Button(description="Pause", icon="pause", layout={"width": "100px"})
        self.pause.tooltip = "Hold it before the next evaluation"
        self.policy = ipywidgets.Dropdown(options=POLICIES, description="Policy", layout={"width": "230px"})
        self.turns = ipywidgets.BoundedIntText(
            value=work.turns + MORE_TURNS, min=1, max=MOST_TURNS, description="Turns in all", layout={"width": "180px"}
        )
        self.hint = ipywidgets.Text(
            placeholder="words that the next turn reads first",
            description="Hint",
            layout={"width": "420px", "max_width": "98%"},
        )
        self.go_on = ipywidgets.Button(description="Go on from here", layout={"width": "140px"})
        self.said = ipywidgets.HTML()
        self._playing = ipywidgets.Box([self.stop, self.pause], layout=ROW)
        self._form = ipywidgets.Box([self.policy, self.turns, self.hint, self.go_on], layout=ROW)
        self.box = ipywidgets.VBox([self._playing, self._form, self.said])
        self.stop.on_click(self._on_stop)
        self.pause.on_click(self._on_pause)
        self.go_on.on_click(self._on_go_on)
        self.heard(work)

    def heard(self, work: Work) -> None:
        """Show what can be done now. Called from either thread."""
        is_ended = work.state == "ended"
        self._playing.layout.display = "none" if is_ended else "flex"
        self._form.layout.display = "flex" if is_ended and _can_go_on(work) else "none"
        is_paused = work.state == "paused"
        self.pause.description, self.pause.icon = ("Resume", "play") if is_paused else ("Pause", "pause")
        if is_ended:
            self.stop.disabled = self.pause.disabled = False
            played = len(work.episode.turns) if work.episode else 0
            self.turns.value = max(self.turns.value, played + 1)
            self._say("")

    def _on_stop(self, _: object) -> None:
        self.stop.disabled = self.pause.disabled = True
        if self.work.stop():
            self._say("stopping …")

    def _on_pause(self, _: object) -> None:
        if not self.work.unpause():
            self.work.pause()

    def _on_go_on(self, _: object) -> None:
        try:
            self.work.again(turns=self.turns.value, policy=self.policy.value, hint=self.hint.value.strip())
        except CudaperfError as problem:
            self._say(f"✗ {problem}")
            return
        self.hint.value = ""
        self.turns.value = min(self.work.turns + MORE_TURNS, MOST_TURNS)

    def _say(self, words: str) -> None:
        self.said.value = markup.paragraph(words) if words else ""


def _can_go_on(work: Work) -> bool:
    return work.episode is not None and not work.episode.kept
