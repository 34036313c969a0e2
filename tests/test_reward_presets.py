"""The published presets on outcomes whose reward was worked out by hand, and presets as files that a person edits."""

from __future__ import annotations

import math
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from cudaperf_magic.errors import UsageError
from cudaperf_magic.fakes import BROKEN, RACY, correct
from cudaperf_magic.records import Baseline, Build, KernelRun, Outcome, Timing, Verdict
from cudaperf_magic.rewards import (
    TERMS,
    Preset,
    PropertyWeight,
    Term,
    TermWeight,
    load_preset,
    preset_names,
    register,
    save_preset,
    score,
)
from cudaperf_magic.rewards.preset_files import FOLDER, preset_text, read_preset

NAMES = preset_names()
MODEL = "Model (PyTorch eager)"


def partly(passed: int, total: int) -> Outcome:
    return Outcome(Build(ok=True), Verdict("mismatch", "wrong", cases_passed=passed, cases_total=total))


def cheat() -> Outcome:
    return Outcome(Build(ok=True), Verdict("cheat", "a copy of the reference", cases_passed=9, cases_total=9))


def timed(speedup: float, *, samples: tuple[float, ...] = (10.0,), **scores: float) -> Outcome:
    timing = Timing(samples, "turn 1", (speedup * 10.0,))
    return replace(correct(**scores), timing=timing)


def against(eager: float | None = None, compiled: float | None = None) -> Outcome:
    """Right, and so many times as fast as each of PyTorch's own."""
    named = {"PyTorch eager (TF32)": eager, "torch.compile (default)": compiled}
    others = tuple(Baseline(name, (10.0 * times,)) for name, times in named.items() if times)
    return replace(correct(), timing=Timing((10.0,), "turn 1", (10.0,), others=others))


def over_model(speedup: float) -> Outcome:
    """Timed against the module that it replaces, as the bench of modules names it."""
    return replace(correct(), timing=Timing((10.0,), MODEL, (10.0 * speedup,)))


def owning(share: float, speedup: float) -> Outcome:
    kernels = (KernelRun("mine", "candidate", 1, share), KernelRun("gemm", "library", 1, 1.0 - share, "cublas"))
    return replace(timed(speedup), kernels=kernels)


# preset, outcome, the arithmetic of its formula
WORKED: list[tuple[str, str, Outcome, float]] = [
    # failed build -1; cheat -1; wrong -0.6 + 0.4 q; right 1 + 2.5 log2(1 + min(S, 32)) / log2(33) + structure + ...
    ("default", "does not build", BROKEN, -1.0),
    ("default", "cheats", cheat(), -1.0),
    ("default", "2 of 8 right", partly(2, 8), -0.6 + 0.4 * 0.25),
    ("default", "right", correct(), 1.0),
    ("default", "right, S = 3", timed(3.0), 1.0 + 2.5 * 2.0 / math.log2(33.0)),
    ("default", "right, S = 500", timed(500.0), 1.0 + 2.5),
    # weights 3 and 1 share 1: (3 * 0.5 + 1 * 1.0) / 4
    ("default", "two properties", correct(coalescing=0.5, balance=1.0), 1.0 + 0.625),
    # the root of 0.25 is 0.5, and half the warps are enough: (3 * 0.5 + 1 * 1.0) / 4
    ("default", "bent properties", correct(intensity=0.25, occupancy=0.5), 1.0 + 0.625),
    # -3; -2 (1 - q); + clip(log2 S, -0.5, 4) + 0.2 structure - 0.5 CV
    ("cudaperf", "does not build", BROKEN, -3.0),
    ("cudaperf", "none right", partly(0, 8), -2.0),
    ("cudaperf", "6 of 8 right", partly(6, 8), -0.5),
    ("cudaperf", "a race on every case", RACY, -2.0),
    ("cudaperf", "S = 4", timed(4.0), 2.0),
    ("cudaperf", "S = 0.1", timed(0.1), -0.5),
    ("cudaperf", "S = 64", timed(64.0), 4.0),
    # samples 9 and 11: mean 10, standard deviation 1, CV 0.1; the median is 10, so S = 2
    ("cudaperf", "S = 2, CV = 0.1", timed(2.0, samples=(9.0, 11.0)), 1.0 - 0.05),
    ("cudaperf", "S = 2, structure 0.25 and 0.75", timed(2.0, shared=0.25, balance=0.75), 1.0 + 0.2 * 0.5),
    ("cudaperf", "structure alone", correct(divergence=0.5), 0.1),
    # -1 incorrect; 1; 2 over eager by more than 5 %; 3 over torch.compile too
    ("cuda_agent", "does not build", BROKEN, -1.0),
    ("cuda_agent", "7 of 8 right", partly(7, 8), -1.0),
    ("cuda_agent", "right", correct(), 1.0),
    ("cuda_agent", "a C task that is 9 times as fast", timed(9.0), 1.0),
    ("cuda_agent", "1.5 over Model", over_model(1.5), 2.0),
    ("cuda_agent", "exactly 1.05 over Model", over_model(1.05), 1.0),
    ("cuda_agent", "1.04 over both", against(1.04, 1.04), 1.0),
    ("cuda_agent", "1.5 over eager, 0.9 over compile", against(1.5, 0.9), 2.0),
    ("cuda_agent", "1.5 over both", against(1.5, 1.06), 3.0),
    ("cuda_agent", "1.5 over compile alone", against(1.0, 1.5), 1.0),
    ("cuda_agent", "no torch.compile was timed", against(1.5), 2.0),
    # C + C min(S, 3) + C PR
    ("dr_kernel", "does not build", BROKEN, 0.0),
    ("dr_kernel", "5 of 8 right", partly(5, 8), 0.0),
    ("dr_kernel", "right, all its own", owning(1.0, 1.5), 1.0 + 1.5 + 1.0),
    ("dr_kernel", "S = 9, a fifth its own", owning(0.2, 9.0), 1.0 + 3.0 + 0.2),
    ("dr_kernel", "a decoy", owning(0.0, 1.0), 1.0 + 1.0 + 0.0),
    ("dr_kernel", "a program that was read", timed(2.0, balance=0.3), 1.0 + 2.0 + 1.0),
    # 0.3 C + C S
    ("kevin", "does not build", BROKEN, 0.0),
    ("kevin", "7 of 8 right", partly(7, 8), 0.0),
    ("kevin", "right", correct(), 0.3),
    ("kevin", "S = 0.5", timed(0.5), 0.8),
    ("kevin", "S = 2", timed(2.0), 2.3),
    ("kevin", "S = 40", timed(40.0), 40.3),
    # -1; -0.5 + 0.5 q; 1 + 0.5 clip(S - 1, 0, 4)
    ("musacoder", "does not build", BROKEN, -1.0),
    ("musacoder", "cheats", cheat(), -1.0),
    ("musacoder", "none right", partly(0, 8), -1.0),
    ("musacoder", "6 of 8 right", partly(6, 8), -0.125),
    ("musacoder", "right", correct(), 1.0),
    ("musacoder", "S = 0.5", timed(0.5), 1.0),
    ("musacoder", "S = 3", timed(3.0), 2.0),
    ("musacoder", "S = 50", timed(50.0), 3.0),
    # 1 + 0.1 S T
    ("kernel_zero", "does not build", BROKEN, 0.0),
    ("kernel_zero", "7 of 8 right", partly(7, 8), 0.0),
    ("kernel_zero", "right", correct(), 1.0),
    ("kernel_zero", "S = 0.5", timed(0.5), 1.05),
    ("kernel_zero", "S = 3", timed(3.0), 1.3),
    ("kernel_zero", "S = 30", timed(30.0), 4.0),
]


@pytest.mark.parametrize(("name", "what", "outcome", "worth"), WORKED, ids=lambda v: v if isinstance(v, str) else "")
def test_a_preset_gives_what_was_worked_out_by_hand(name: str, what: str, outcome: Outcome, worth: float) -> None:
    assert score(outcome, name).total == pytest.approx(worth), what


def test_the_baseline_of_modules_is_the_one_that_the_milestones_look_for() -> None:
    from cudaperf_magic.bench.modules.outcome import BASELINE_NAME

    assert BASELINE_NAME == MODEL


def test_every_preset_has_worked_examples() -> None:
    assert {name for name, *_ in WORKED} == set(NAMES)
    assert NAMES == ("default", "cuda_agent", "cudaperf", "dr_kernel", "kernel_zero", "kevin", "musacoder")


@pytest.mark.parametrize("name", NAMES)
def test_a_preset_says_what_it_is_for_and_where_it_comes_from(name: str) -> None:
    preset = load_preset(name)
    assert preset.name == name and preset.about and preset.source
    assert score(RACY, name).preset == name


def test_the_returns_over_turns_are_those_of_their_sources() -> None:
    assert load_preset("kevin").gamma == 0.4 and load_preset("dr_kernel").gamma == 1.0
    rule = load_preset("musacoder").episode
    assert (rule.first, rule.best) == (0.75, 0.25)


# ---- files ----


@pytest.mark.parametrize("name", NAMES)
def test_a_preset_that_is_saved_is_read_back_as_it_was(name: str, tmp_path: Path) -> None:
    preset = load_preset(name)
    save_preset(preset, tmp_path / f"{name}.toml")
    assert load_preset(str(tmp_path / f"{name}.toml")) == preset


def test_words_with_quotes_and_lines_survive_a_file() -> None:
    odd = replace(load_preset("default"), about='a "quoted" \\ word\nand a line\t\x01', source="é ✓")
    assert read_preset("default", preset_text(odd)) == odd


def test_a_saved_file_explains_each_of_its_numbers() -> None:
    text = preset_text(load_preset("cudaperf"))
    for name in ("failed_build", "log2_speedup", "noise"):
        assert f"# {TERMS[name].about}\n[terms.{name}]" in text


def test_an_unknown_preset_is_answered_with_the_nearest_one() -> None:
    with pytest.raises(UsageError, match="did you mean default"):
        score(BROKEN, "defualt")
    with pytest.raises(UsageError, match="choose from default"):
        load_preset("zzz")
    with pytest.raises(UsageError, match="no reward preset file"):
        load_preset("./nowhere.toml")


def test_a_preset_of_ones_own_is_read_by_its_path(tmp_path: Path) -> None:
    own = tmp_path / "mine.toml"
    own.write_text(
        (FOLDER / "default.toml").read_text().replace("[terms.correct]\nweight = 1.0", "[terms.correct]\nweight = 5.0")
    )
    assert score(correct(), str(own)).total == 5.0
    assert score(correct(), str(own)).preset == "mine"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("[terms.speed]", "[terms.sped]", "there is no reward term sped; did you mean speed"),
        ("[terms.speed]", "[terms.zzz]", "there is no reward term zzz; there are failed_build"),
        ("[structure.coalescing]", "[structure.coalescence]", "did you mean structure.coalescing"),
        ("low = 0.0", "lo = 0.0", "did you mean terms.speed.low"),
        ('gate = "correct"', 'gate = "corect"', "correct: there is no gate corect; did you mean correct"),
        ('gate = "correct"', "gate = 3", "terms.correct.gate is a word"),
        ("weight = 2.5", f"weight = 1{'0' * 400}", "speed.weight must lie within"),
        ("weight = 2.5", "weight = 1e300", "speed.weight must lie within"),
        ("low = 0.0", "on = 1", "terms.speed.on is true or false"),
        ("weight = 2.5", "", "terms.speed has no weight"),
        ("weight = 2.5", "weight = nan", "speed.weight must be a finite number"),
        ("weight = 2.5", "weight = '2'", "speed.weight must be a finite number, not '2'"),
        ("weight = 2.5", "weight = true", "speed.weight must be a finite number"),
        ("high = 32.0", "high = inf", "speed.high must be a finite number"),
        ("high = 32.0", "high = -1.0", "above high"),
        ("root = 2.0", "root = 0.5", "structure.intensity: enough lies in .* root is at least 1"),
        ("weight = 1.5", "weight = -1.5", "structure.shared: the weight of a property"),
        ("gamma = 1.0", "gamma = 1.5", "return.gamma lies in"),
        ("best = 1.0", "bst = 1.0", "did you mean episode.best"),
        ("[return]", "[retrun]", "did you mean return"),
        ("total = 1.0", "total = []", "structure.total must be a finite number"),
        ("weight = 2.5", "weight = = 2", "reward preset"),
        ("[terms.speed]", "[verdict]\ncorrect = 1\n[terms.speed]", r"section \[verdict\] is of an older layout"),
    ],
)
def test_a_file_that_cannot_be_understood_is_refused_with_its_fault(
    tmp_path: Path, old: str, new: str, words: str
) -> None:
    text = (FOLDER / "default.toml").read_text()
    assert old in text
    (tmp_path / "mine.toml").write_text(text.replace(old, new, 1))
    with pytest.raises(UsageError, match=words):
        load_preset(str(tmp_path / "mine.toml"))


def test_a_file_that_begins_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("[terms.correct]\nweight = 2.0\n", encoding="utf-8-sig")
    assert load_preset(str(path)).term("correct") == TermWeight("correct", 2.0)


def test_a_file_that_cannot_be_written_is_said_and_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"ends in \.toml"):
        save_preset(load_preset("default"), tmp_path / "mine.txt")
    with pytest.raises(UsageError, match="cannot be written: no such file"):
        save_preset(load_preset("default"), tmp_path / "nowhere" / "mine.toml")
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(UsageError, match="cannot be written"):
        save_preset(load_preset("default"), tmp_path / "folder.toml")
    assert [path.name for path in tmp_path.iterdir()] == ["folder.toml"]


@pytest.mark.parametrize("name", NAMES)
def test_the_files_that_come_with_the_package_tell_the_weight_and_gate_of_every_term(name: str) -> None:
    terms = tomllib.loads((FOLDER / f"{name}.toml").read_text())["terms"]
    assert terms and all({"weight", "gate"} <= set(term) for term in terms.values())


def test_a_gate_that_is_left_to_the_term_is_told_in_a_comment_and_read_back_as_left() -> None:
    preset = Preset("mine", "", terms=(TermWeight("speed", 1.0), TermWeight("kept", 0.5, gates=("always",))))
    text = preset_text(preset)
    assert '# gate = "correct"  # counts when it is correct' in text and 'gate = "always"  # counts always' in text
    assert read_preset("mine", text) == preset


def test_a_preset_names_each_property_once_and_has_a_gate_for_them() -> None:
    with pytest.raises(ValueError, match="the property shared stands twice"):
        Preset("mine", "", properties=(("shared", PropertyWeight(1.0)), ("shared", PropertyWeight(2.0))))
    with pytest.raises(ValueError, match="structure needs a gate"):
        Preset("mine", "", structure_gates=())


def test_a_person_may_add_a_term_and_weigh_it(monkeypatch: pytest.MonkeyPatch) -> None:
    short = Term("short", "short source", "1 for short.", lambda outcome: (0.5, "half as long"))
    monkeypatch.delitem(TERMS, "short", raising=False)  # puts the catalogue back afterwards
    register(short)
    preset = read_preset("mine", "[terms.correct]\nweight = 1\n[terms.short]\nweight = 2\n")
    assert score(correct(), preset).total == 2.0
    with pytest.raises(ValueError, match="already"):
        register(short)
    with pytest.raises(ValueError, match="already"):
        register(replace(short, name="occupancy"))  # the structural properties have their names too
    with pytest.raises(ValueError, match="no gate never"):
        register(replace(short, name="other", gate="never"))
