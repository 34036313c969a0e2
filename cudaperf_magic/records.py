"""The nouns of the whole system: frozen dataclasses on the standard library alone.

They hold; they do not compute anything that needs more than themselves. What can be derived is a property.
An impossible record raises ValueError when it is built. JSON goes through `records_json.py`.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from math import exp, log
from typing import Literal

Role = Literal["in", "out", "inout"]
Status = Literal["pass", "mismatch", "crash", "timeout", "cheat", "fault", "unrefereeable"]
Stage = Literal["read", "build", "verify", "measure"]
Decision = Literal["translate", "keep", "none"]

PROPERTIES = (
    "coalescing",
    "occupancy",
    "intensity",
    "synchronisation",
    "divergence",
    "shared",
    "balance",
)


@dataclass(frozen=True)
class ValueRange:
    """Which values an array or scalar may take. Bounds are C expressions over the size names, inclusive."""

    low: str | None = None
    high: str | None = None
    order: Literal["any", "ascending", "permutation"] = "any"
    why: str = ""  # "given with --range" or how it was derived


@dataclass(frozen=True)
class Argument:
    """One parameter of the task's entry function, in its order; the return value comes last, named `result`.

    `dtype` is a NumPy name ("float32", "int64", "bool") or, for an array of structs of plain fields, a
    comma-separated list "x:float32,y:float32". `shape` holds C integer expressions over scalar parameters; () is a
    scalar.
    """

    name: str
    c_type: str
    dtype: str
    shape: tuple[str, ...] = ()
    role: Role = "in"
    values: ValueRange | None = None
    is_pointer: bool = False  # passed by address: every array, and a scalar that is written or returned
    is_result: bool = False  # the C function's return value, an extra last pointer parameter in CUDA
    field_values: tuple[tuple[str, ValueRange], ...] = ()  # of an array of structs: (field path, its values)

    @property
    def is_array(self) -> bool:
        return bool(self.shape)


@dataclass(frozen=True)
class Case:
    """One set of inputs, by recipe: sizes and scalar values, the family, and the seed."""

    sizes: tuple[tuple[str, int], ...]
    family: str = "nominal"
    seed: int = 0
    hidden: bool = False

    @property
    def size(self) -> dict[str, int]:
        return dict(self.sizes)

    def __str__(self) -> str:
        return f"{', '.join(f'{name}={value}' for name, value in self.sizes) or 'no sizes'}, {self.family} inputs"


@dataclass(frozen=True)
class Tolerance:
    """Accept when error(candidate) <= multiple * error(reference) + floor (relative to the output's magnitude)."""

    multiple: float = 3.0
    floor: float = 0.0


@dataclass(frozen=True)
class Task:
    """What is to be translated. `source` is the person's text, untouched; `notes` say what was inferred and assumed."""

    name: str
    language: Literal["c", "pytorch"]
    source: str
    entry: str
    arguments: tuple[Argument, ...]
    cases: tuple[Case, ...]
    tolerance: Tolerance = field(default_factory=Tolerance)
    notes: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()  # -D options for the preprocessor
    folders: tuple[str, ...] = ()  # where #include lines are looked up; the file's own is the first
    contract: tuple[str, ...] = ()  # what a candidate promises beside the result: "own kernels only"

    @property
    def key(self) -> str:
        """Content hash: same source, entry, shapes and ranges mean the same task."""
        text = repr((self.language, self.source, self.entry, self.arguments, self.defines))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def scalars(self) -> tuple[Argument, ...]:
        return tuple(a for a in self.arguments if not a.is_pointer)

    @property
    def arrays(self) -> tuple[Argument, ...]:
        return tuple(a for a in self.arguments if a.is_pointer)

    def argument(self, name: str) -> Argument:
        return next(a for a in self.arguments if a.name == name)


@dataclass(frozen=True)
class Candidate:
    """Ordinary CUDA: kernels and one host function with the task's name and parameters (device pointers)."""

    source: str
    origin: str = "person"
    intention: str = ""
    schedule: str = ""  # text form of the moves, when the compiler wrote it
    tokens: tuple[int, ...] = ()
    log_probabilities: tuple[float, ...] = ()

    @property
    def key(self) -> str:
        return hashlib.sha256(self.source.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class KernelResources:
    """What ptxas says of one kernel."""

    name: str
    registers: int
    spill_bytes: int
    shared_bytes: int


@dataclass(frozen=True)
class Build:
    """A compilation. `log` speaks in the candidate's own line numbers."""

    ok: bool
    log: str = ""
    seconds: float = 0.0
    arch: str = ""
    kernels: tuple[KernelResources, ...] = ()


@dataclass(frozen=True)
class Fault:
    """Something a kernel did wrong, in the words a student understands."""

    kind: Literal[
        "out_of_bounds", "uninitialised", "misaligned", "shared_race", "global_race", "divergence", "deadlock",
        "trap", "guard", "unwritten", "input_changed", "limit", "launch",
    ]
    message: str
    line: int | None = None
    other_line: int | None = None
    kernel: str = ""
    block: tuple[int, int, int] | None = None
    thread: tuple[int, int, int] | None = None
    other_block: tuple[int, int, int] | None = None  # of a race: whose earlier access it was
    other_thread: tuple[int, int, int] | None = None
    remedy: str = ""


@dataclass(frozen=True)
class OutputError:
    """Error of one output against the widened reference, relative to its magnitude; the reference's own beside it."""

    name: str
    rms: float | None  # None: not finite
    largest: float | None
    reference_rms: float
    reference_largest: float


@dataclass(frozen=True)
class WrongElement:
    """The first element of an output that is wrong, its values as text; of a hidden case they are not told."""

    name: str  # "y[3][17]", "s.x"
    got: str
    expected: str
    wrong: int = 1  # elements of this output that are
    total: int = 1


@dataclass(frozen=True)
class Verdict:
    status: Status
    reason: str
    failing_case: Case | None = None
    errors: tuple[OutputError, ...] = ()
    faults: tuple[Fault, ...] = ()
    cases_passed: int = 0
    cases_total: int = 0
    is_deterministic: bool | None = None
    generality: tuple[int, int] | None = None  # (neighbour shapes that pass, of those tried); never a refusal
    wrong: WrongElement | None = None  # of a mismatch, where one element shows it
    sanitizer: str = ""  # what compute-sanitizer said of the accepted kernel; "" where it did not run

    @property
    def ok(self) -> bool:
        return self.status == "pass"


@dataclass(frozen=True)
class Baseline:
    """What a candidate's time is held against, named in full; samples in microseconds of one call each."""

    name: str  # "turn 1 (plain CUDA)", "gcc -O3 -march=native on one core"
    samples_us: tuple[float, ...]

    def __post_init__(self) -> None:
        if not self.samples_us or min(self.samples_us) <= 0:
            raise ValueError("a baseline needs samples, all above zero")

    @property
    def median_us(self) -> float:
        return median(self.samples_us)


@dataclass(frozen=True)
class Clocks:
    """The card's state beside the samples, as it reports it; None is what it does not tell."""

    sm_mhz: int | None = None
    memory_mhz: int | None = None
    temperature_c: int | None = None
    power_w: float | None = None
    throttled_by: tuple[str, ...] = ()  # "thermal", "power cap": reasons other than idle seen while timing


@dataclass(frozen=True)
class Timing:
    """Samples in microseconds of one call each, measured on a GPU; never modelled.

    `samples_us` are cold: the cache was flushed before each. Sample k of the paired baseline was taken beside sample k
    of the candidate, in random order; `interval` is the 95 % bootstrap interval of that ratio, baseline / candidate.
    `noise` is how far two timings of one and the same kernel lie apart on this machine, as a share.
    """

    samples_us: tuple[float, ...]
    baseline: str = ""
    baseline_samples_us: tuple[float, ...] = ()
    floor_us: float | None = None
    floor_by: str = ""  # what sets the floor: "memory bandwidth", "float32 arithmetic"
    interval: tuple[float, float] | None = None
    noise: float | None = None
    warm_us: tuple[float, ...] = ()
    end_to_end_us: tuple[float, ...] = ()  # with the transfers of its arrays to and from the host
    others: tuple[Baseline, ...] = ()  # measured apart from it: the C on one core, on all
    clocks: Clocks | None = None
    gpu: str = ""  # the card's own name
    case: Case | None = None
    calls_per_sample: int = 1
    is_graph: bool = False  # launched as a CUDA graph

    def __post_init__(self) -> None:
        if not self.samples_us or min(self.samples_us) <= 0:
            raise ValueError("a timing needs samples, all above zero")
        if self.interval is not None and len(self.samples_us) != len(self.baseline_samples_us):
            raise ValueError("an interval of a ratio needs paired samples")

    @property
    def median_us(self) -> float:
        return median(self.samples_us)

    @property
    def speedup(self) -> float | None:
        """Baseline / candidate: the median of the paired ratios where samples are paired, else of the medians."""
        if not self.baseline_samples_us:
            return None
        if self.interval is None:
            return median(self.baseline_samples_us) / self.median_us
        pairs = zip(self.baseline_samples_us, self.samples_us, strict=True)
        return exp(median(tuple(log(theirs / ours) for theirs, ours in pairs)))

    @property
    def is_faster(self) -> bool:
        """Whether "faster than the baseline" may be said: the interval's lower end lies above 1 and the noise."""
        return self.interval is not None and self.interval[0] > 1.0 + (self.noise or 0.0)

    @property
    def of_floor(self) -> float | None:
        """Time / floor, at least 1 for what is measured rightly."""
        return self.median_us / self.floor_us if self.floor_us else None


@dataclass(frozen=True)
class KernelRun:
    """One kernel that ran on the device while a candidate was called: whose it is, and its share of the time."""

    name: str
    owner: Literal["candidate", "library"]
    launches: int
    share: float  # of the device time of the call
    library: str = ""  # "cublas", "aten"


@dataclass(frozen=True)
class Label:
    """Something that was seen and is no verdict by itself; the task's contract may make it one."""

    kind: str  # "library_call", "decoy", "state", "clocks_disagree", "shape_specialised"
    message: str


@dataclass(frozen=True)
class Property:
    """One structural property: a score in [0, 1], the measured value behind it, and why."""

    name: str
    score: float
    raw: float
    unit: str
    source: Literal["simulator", "counters", "static"]
    reason: str
    remedy: str = ""
    line: int | None = None

    def __post_init__(self) -> None:
        if self.name not in PROPERTIES:
            raise ValueError(f"{self.name} is not one of {', '.join(PROPERTIES)}")
        if not 0.0 <= self.score <= 1.0:
            raise ValueError(f"{self.name}: a score lies in [0, 1], not {self.score}")


@dataclass(frozen=True)
class LineCost:
    """What one source line of a kernel asked of the machine, summed over the sampled warps."""

    line: int
    executions: int = 0  # warp instructions
    active_lanes: float = 0.0  # mean of 32
    requests: int = 0
    sectors: int = 0
    ideal_sectors: int = 0
    shared_wavefronts: int = 0
    ideal_wavefronts: int = 0
    barriers: int = 0
    atomics: int = 0
    local_sectors: int = 0  # of a thread's own arrays that are not in registers
    l1_missed_sectors: int = 0  # of loads from global memory; modelled, as the next
    dram_read_bytes: int = 0


@dataclass(frozen=True)
class Roofline:
    """Where a run stands below the roofs of its device: the task's own arithmetic, and the bytes that the run moved.

    `operations` are those of the C on the case, an addition or a multiplication each one; `moved_by` says which bytes
    are meant. The roofs are what the card reached ("measured") or what its maker says ("data sheet").
    """

    operations: float
    kind: str  # "float32", "float64"
    moved_bytes: float
    moved_by: Literal["between L2 and memory, counted", "asked for, before any cache"]
    memory_gb_s: float
    peak_tops: float  # 10^12 operations a second
    roofs: Literal["measured", "data sheet"]
    device: str = ""

    def __post_init__(self) -> None:
        if min(self.operations, self.moved_bytes, self.memory_gb_s, self.peak_tops) <= 0:
            raise ValueError("a roofline needs operations, bytes and roofs above zero")

    @property
    def intensity(self) -> float:
        """Operations a byte."""
        return self.operations / self.moved_bytes

    @property
    def bound_tops(self) -> float:
        """The roof above this intensity, in 10^12 operations a second."""
        return min(self.peak_tops, self.intensity * self.memory_gb_s / 1000.0)


@dataclass(frozen=True)
class Structure:
    """The seven properties that apply, each at most once; one that does not apply is absent, never 0 or 1."""

    properties: tuple[Property, ...]
    lines: tuple[LineCost, ...] = ()
    launches: int = 0
    case: Case | None = None
    roofline: Roofline | None = None  # None: no floating-point arithmetic, or its amount is not known

    def __post_init__(self) -> None:
        names = [p.name for p in self.properties]
        if len(set(names)) != len(names):
            raise ValueError("a property stands twice")

    def get(self, name: str) -> Property | None:
        return next((p for p in self.properties if p.name == name), None)

    @property
    def score(self) -> float:
        """Plain mean of the properties that apply, in [0, 1]."""
        return sum(p.score for p in self.properties) / len(self.properties) if self.properties else 0.0


@dataclass(frozen=True)
class Memory:
    """Peak bytes on the device: arguments and workspaces of the candidate, and the arguments alone."""

    candidate_bytes: int
    reference_bytes: int


@dataclass(frozen=True)
class Outcome:
    """How far a candidate came. A later record cannot exist unless the earlier one passed."""

    build: Build
    verdict: Verdict | None = None
    timing: Timing | None = None
    structure: Structure | None = None
    memory: Memory | None = None
    device: str = "simulator"
    seconds: float = 0.0
    stages: tuple[tuple[str, float], ...] = ()  # (what, seconds): where the time of this evaluation went
    kernels: tuple[KernelRun, ...] = ()
    labels: tuple[Label, ...] = ()
    isolation: tuple[str, ...] = ()  # the protections that held around the candidate

    def __post_init__(self) -> None:
        if self.verdict is not None and not self.build.ok:
            raise ValueError("only a candidate that builds has a verdict")
        if (self.timing or self.structure) and not (self.verdict and self.verdict.ok):
            raise ValueError("only a correct candidate has a timing or a structure")

    @property
    def stage(self) -> Stage:
        """The furthest stage reached: the one that failed, or `measure` when all passed."""
        if not self.build.ok:
            return "build"
        return "measure" if self.ok else "verify"

    @property
    def ok(self) -> bool:
        return self.verdict is not None and self.verdict.ok

    @property
    def speedup(self) -> float | None:
        return self.timing.speedup if self.timing else None


@dataclass(frozen=True)
class RewardTerm:
    """One part of a reward. `range` is what the score can be (None: no bound on that side), `gate` when it counts."""

    name: str
    score: float
    weight: float
    reason: str
    range: tuple[float | None, float | None] = (0.0, 1.0)
    gate: str = ""

    @property
    def value(self) -> float:
        return self.score * self.weight


@dataclass(frozen=True)
class RewardBreakdown:
    preset: str
    terms: tuple[RewardTerm, ...]

    @property
    def total(self) -> float:
        return sum(term.value for term in self.terms)


@dataclass(frozen=True)
class Turn:
    candidate: Candidate
    outcome: Outcome
    reward: RewardBreakdown
    reflection: str  # the exact text that the next turn reads
    others: tuple[tuple[Candidate, Outcome | None], ...] = ()  # proposals of this turn that were not taken


@dataclass(frozen=True)
class Hint:
    """Words of a person for whoever proposes, said when the episode had `after` turns."""

    words: str
    after: int = 0


@dataclass(frozen=True)
class Episode:
    """A task and its turns. `decision` is `keep` with `stopped` as the reason, when C should stay as it is."""

    task: Task
    turns: tuple[Turn, ...] = ()
    stopped: str = ""  # why it ended; "" while it is live
    kept: str = ""  # the reason why the C stays sequential, "" otherwise
    policy: str = "search"
    preset: str = "default"
    seed: int = 0
    identity: str = ""  # the store's name for it
    hints: tuple[Hint, ...] = ()

    @property
    def hint(self) -> str:
        """What a person said last; it holds until they say something else."""
        return self.hints[-1].words if self.hints else ""

    @property
    def best(self) -> Turn | None:
        """The correct turn of the highest reward; the earlier one of equals."""
        good = [turn for turn in self.turns if turn.outcome.ok]
        return max(good, key=lambda turn: turn.reward.total) if good else None

    @property
    def decision(self) -> Decision:
        if self.kept:
            return "keep"
        return "translate" if self.best else "none"

    @property
    def is_live(self) -> bool:
        return not self.stopped

    def then(self, turn: Turn) -> Episode:
        if self.stopped:
            raise ValueError(f"the episode has ended: {self.stopped}")
        return replace(self, turns=(*self.turns, turn))

    def stop(self, why: str) -> Episode:
        return replace(self, stopped=why)


def median(values: tuple[float, ...]) -> float:
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
