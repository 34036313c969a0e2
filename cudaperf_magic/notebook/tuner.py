"""The tuner: a slider, a toggle and the clip of every term of a reward, over a page that follows as one drags.

Core ipywidgets alone, which work in JupyterLab, Notebook, VS Code and Colab without anything to install. The page is an
output of its own behind a display handle, so that a saved notebook keeps it where the sliders are gone. What a reward
makes of episodes is computed in tuning.py and drawn in tuning_words.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from ..errors import CudaperfError
from ..records import PROPERTIES
from ..rewards import TERMS, Preset, PropertyWeight, TermWeight, load_preset, preset_names, save_preset
from ..rewards.terms import GATES
from ..tuned import Tuned
from ..tuning import Trial
from . import markup, tuning_words

WIDTH = {"width": "100%", "max_width": "900px"}
# The terms scroll in a box of their own, so that what follows from them stays in sight as one drags.
SCROLLED = {
    "display": "block",
    "max_height": "330px",
    "overflow": "auto",
    "border": markup.LINE,
    "padding": "4px 6px",
    "margin": "4px 0",
}
LEAST_SPAN = 4.0  # a weight's slider goes at least this far to both sides
NO_CLIP = "none"
DIGITS = 4  # of a weight: a slider in a browser answers -0.6 with -0.6000000000000001
SHORT = {"description_width": "36px"}


class Tuner:
    """The controls (`.box`) and the page below them. `show` displays both; `.trial.preset` is the reward as it stands.

    Attributes:
        tuned: the episodes and the reward that it began with.
    """

    def __init__(self, tuned: Tuned) -> None:
        import ipywidgets
        from IPython.display import DisplayHandle

        self._w: Any = ipywidgets
        self.tuned = tuned
        self.trial = Trial(tuned.preset, tuned.preset)
        self._page: Any = DisplayHandle()  # type: ignore[no-untyped-call]
        self._is_quiet = False
        self._setters: list[Callable[[Preset], None]] = []
        self._said = ipywidgets.HTML()
        self._summary = ipywidgets.HTML()
        self._terms = ipywidgets.VBox(layout=ipywidgets.Layout(**WIDTH, **SCROLLED))
        self._preset = ipywidgets.Dropdown(
            options=self._preset_names(),
            value=tuned.preset.name,
            description="Preset",
            layout={"width": "200px"},
            style={"description_width": "50px"},
        )
        self._path = ipywidgets.Text(value="mine.toml", description="File", layout={"width": "260px"})
        self._buttons = {name: ipywidgets.Button(description=name, layout={"width": "68px"}) for name in _BUTTONS}
        self._more = ipywidgets.Dropdown(description="Add a term", layout={"width": "260px"})
        self._wire()
        self._build()
        row = {"flex_flow": "row wrap"}
        undo, redo, reset, save = self._buttons.values()
        self.box = ipywidgets.VBox(
            [
                ipywidgets.Box([self._preset, undo, redo, reset], layout=row),
                self._terms,
                ipywidgets.Box([self._more, self._path, save], layout=row),
                self._said,
                self._summary,
            ],
            layout=ipywidgets.Layout(**WIDTH),
        )

    @property
    def preset(self) -> Preset:
        return self.trial.preset

    def show(self) -> None:
        from IPython.display import display

        bundle = self._bundle()
        display(self.box)  # type: ignore[no-untyped-call]
        self._page.display(bundle, raw=True)

    # ---- what happens ----

    def set(self, preset: Preset, control: str = "") -> None:
        """Try other numbers; the page follows."""
        self._go(self.trial.to(preset, control))

    def undo(self, *_: object) -> None:
        self._go(self.trial.undo())

    def redo(self, *_: object) -> None:
        self._go(self.trial.redo())

    def reset(self, *_: object) -> None:
        self._go(self.trial.reset())

    def choose(self, name: str) -> None:
        """Begin from another preset."""
        self._go(self.trial.anew(load_preset(name)))

    def save(self, *_: object) -> None:
        """Write the reward to the file that is named; `--reward FILE` uses it."""
        path = self._path.value.strip()
        try:
            save_preset(self.preset, path)
        except CudaperfError as problem:
            self._say(f"✗ {problem}")
            return
        self._say(f"✓ saved; use it with --reward {path}")

    def _go(self, trial: Trial) -> None:
        has_other_rows = _rows_of(trial.preset) != _rows_of(self.preset)
        self.trial = trial
        self._say("")
        with self._quietly():
            if has_other_rows:
                self._build()
            for put in self._setters:
                put(trial.preset)
            if trial.preset.name in self._preset.options:
                self._preset.value = trial.preset.name
        self._mark_buttons()
        self._page.update(self._bundle(), raw=True)

    def _bundle(self) -> dict[str, str]:
        """The page as the reward stands; the summary beside the sliders says the same in short."""
        now = Tuned(self.tuned.record, self.preset, self.tuned.problems)
        self._summary.value = markup.paragraph(tuning_words.summary(now.standing), "font-weight:600")
        return now._repr_mimebundle_()

    def _say(self, words: str) -> None:
        self._said.value = markup.paragraph(words) if words else ""

    @contextmanager
    def _quietly(self) -> Iterator[None]:
        """Widgets that are set by us tell nobody."""
        self._is_quiet = True
        try:
            yield
        finally:
            self._is_quiet = False

    # ---- widgets ----

    def _preset_names(self) -> list[str]:
        return list(dict.fromkeys([*preset_names(), self.tuned.preset.name]))

    def _wire(self) -> None:
        for button, act in zip(self._buttons.values(), (self.undo, self.redo, self.reset, self.save), strict=True):
            button.on_click(act)
        self._mark_buttons()
        self._preset.observe(self._when(lambda name: self._chosen(name)), "value")
        self._more.observe(self._when(self._add), "value")

    def _chosen(self, name: str) -> None:
        if name == self.tuned.preset.name and name not in preset_names():
            self._go(self.trial.anew(self.tuned.preset))
        else:
            self.choose(name)

    def _add(self, name: str | None) -> None:
        if name in TERMS:
            self.set(self.preset.with_term(TermWeight(name, 0.0)))
        elif name in PROPERTIES:
            self.set(self.preset.with_property(name, PropertyWeight(0.0)))

    def _mark_buttons(self) -> None:
        undo, redo, reset, _ = self._buttons.values()
        undo.disabled, redo.disabled = not self.trial.past, not self.trial.future
        reset.disabled = self.trial.preset == self.trial.begun

    def _when(self, act: Callable[[Any], None]) -> Callable[[dict[str, Any]], None]:
        def heard(change: dict[str, Any]) -> None:
            if not self._is_quiet:
                act(change["new"])

        return heard

    def _build(self) -> None:
        """A row for each term of the reward; `_setters` put a preset's numbers into them."""
        self._setters = []
        rows = [self._term_row(term) for term in self.preset.terms]
        if self.preset.properties:
            rows.append(self._total_row())
            rows += [self._property_row(name) for name, _ in self.preset.properties]
        rows.append(self._discount_row())
        self._terms.children = rows
        present = {term.name for term in self.preset.terms} | {name for name, _ in self.preset.properties}
        absent = [name for name in (*TERMS, *PROPERTIES) if name not in present and name != "kept"]
        with self._quietly():
            self._more.options = [("", None), *((name, name) for name in absent)]
            self._more.value = None

    def _term_row(self, term: TermWeight) -> Any:
        name = term.name

        def now() -> TermWeight:
            return self.preset.term(name) or term

        def put(**changes: Any) -> None:
            self.set(self.preset.with_term(replace(now(), **changes)), f"{name}.{next(iter(changes))}")

        toggle = self._toggle(name, lambda preset: (preset.term(name) or term).is_on, lambda on: put(is_on=on))
        weight = self._slider(
            name,
            f"weight of {name}",
            term.weight,
            lambda preset: (preset.term(name) or term).weight,
            lambda value: put(weight=value),
        )
        clip = [] if term.term.is_constant else self._clip(name, now, put)
        gates = " and ".join(GATES[gate] for gate in term.all_gates)
        toggle.tooltip = f"whether {name} counts, when {gates}"
        return self._row(toggle, weight, *clip, hint=term.term.about)

    def _clip(self, name: str, now: Callable[[], TermWeight], put: Callable[..., None]) -> list[Any]:
        """Two fields for the ends of the clip; an empty one is no bound."""

        def field(key: str, words: str) -> Any:
            made = self._w.Text(
                description=words,
                placeholder=NO_CLIP,
                continuous_update=False,
                layout={"width": "104px"},
                style=SHORT,
            )
            made.tooltip = f"{words} of the clip of {name}; empty for none"

            def heard(text: str) -> None:
                try:
                    put(**{key: float(text) if text.strip() else None})
                except ValueError as problem:
                    self._say(f"✗ {name}, {words}: {problem}")

            def show(preset: Preset) -> None:
                value = getattr(preset.term(name) or now(), key)
                made.value = "" if value is None else f"{value:g}"

            made.observe(self._when(heard), "value")
            self._follow(show)
            return made

        if now().above is not None:
            return [field("above", "above")]
        return [field("low", "from"), field("high", "to")]

    def _total_row(self) -> Any:
        hint = "What the properties below share, in proportion to their weights."
        return self._number_row("structure", "total of the structural properties", hint)

    def _discount_row(self) -> Any:
        hint = "How much a turn's return has of each later turn; advantages follow."
        return self._number_row("gamma", "gamma, the discount a turn", hint, least=0.0, most=1.0)

    def _number_row(self, name: str, words: str, hint: str, **ends: float) -> Any:
        """A slider for a number that the preset has under this name."""
        label = self._w.HTML(f"<b>{name}</b>", layout={"width": "150px"})
        slider = self._slider(
            name,
            words,
            getattr(self.preset, name),
            lambda preset: getattr(preset, name),
            lambda value: self.set(replace(self.preset, **{name: value}), name),  # type: ignore[arg-type]
            **ends,
        )
        return self._row(label, slider, hint=hint)

    def _property_row(self, name: str) -> Any:
        def now(preset: Preset) -> PropertyWeight:
            return dict(preset.properties).get(name, PropertyWeight(0.0))

        def put(**changes: Any) -> None:
            changed = replace(now(self.preset), **changes)
            self.set(self.preset.with_property(name, changed), f"{name}.{next(iter(changes))}")

        toggle = self._toggle(name, lambda preset: now(preset).is_on, lambda on: put(is_on=on))
        weight = self._slider(
            name,
            f"weight of {name}",
            now(self.preset).weight,
            lambda p: now(p).weight,
            lambda value: put(weight=value),
            least=0.0,
        )
        enough = self._small("enough", f"the score of {name} from which more gains nothing", 0.001, 1.0)
        root = self._small("root", f"2 takes the square root of {name}", 1.0, 100.0)
        for made, key in ((enough, "enough"), (root, "root")):
            made.observe(self._when(lambda value, key=key: put(**{key: value})), "value")  # type: ignore[misc]
        self._follow(lambda preset: setattr(enough, "value", now(preset).enough))
        self._follow(lambda preset: setattr(root, "value", now(preset).root))
        return self._row(toggle, weight, enough, root, hint="")

    def _toggle(self, name: str, get: Callable[[Preset], bool], put: Callable[[bool], None]) -> Any:
        made = self._w.Checkbox(description=name, indent=False, layout={"width": "150px"})
        made.tooltip = f"whether {name} counts"
        made.observe(self._when(put), "value")
        self._follow(lambda preset: setattr(made, "value", get(preset)))
        return made

    def _slider(
        self,
        name: str,
        hint: str,
        value: float,
        get: Callable[[Preset], float],
        put: Callable[[float], None],
        least: float | None = None,
        most: float | None = None,
    ) -> Any:
        span = max(LEAST_SPAN, 2 * abs(value))
        made = self._w.FloatSlider(
            description="weight" if most is None else "value",
            min=-span if least is None else least,
            max=span if most is None else most,
            step=0.05,
            readout_format=".2f",
            layout={"width": "270px"},
            style={"description_width": "44px"},
            continuous_update=True,
        )
        made.add_class(f"cudaperf-{name}")
        made.tooltip = hint

        def show(preset: Preset) -> None:
            wanted = get(preset)
            made.min, made.max = min(made.min, wanted), max(made.max, wanted)
            made.value = wanted

        made.observe(self._when(lambda value: put(round(value, DIGITS))), "value")
        self._follow(show)
        return made

    def _small(self, words: str, hint: str, low: float, high: float) -> Any:
        made = self._w.BoundedFloatText(
            description=words,
            min=low,
            max=high,
            step=0.05,
            continuous_update=False,
            layout={"width": "116px"},
            style={"description_width": "50px"},
        )
        made.tooltip = hint
        return made

    def _row(self, *widgets: Any, hint: str) -> Any:
        words = [self._w.HTML(markup.paragraph(hint, "opacity:0.75;font-size:12px;margin:-4px 0 0 0"))] if hint else []
        line = self._w.Box(list(widgets), layout={"flex_flow": "row wrap", "align_items": "center"})
        return self._w.VBox([line, *words], layout={"margin": "0 0 2px 0"})

    def _follow(self, show: Callable[[Preset], None]) -> None:
        """A widget that shows a number of the preset, now and after every step."""
        with self._quietly():
            show(self.preset)
        self._setters.append(show)


_BUTTONS = ("Undo", "Redo", "Reset", "Save")


def _rows_of(preset: Preset) -> tuple[str, ...]:
    """What the rows of controls are built from."""
    terms = [f"{term.name} {term.above is None} {term.gates}" for term in preset.terms]
    return (*terms, *(name for name, _ in preset.properties))
