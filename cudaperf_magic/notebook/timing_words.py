"""A timing in sentences and rows: what was measured, on what, against what, and how surely.

Pure: records in, text out. Kernel time and time with transfers are never mixed, and every ratio names what it is
against. It draws nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..records import Clocks, Timing, median

ROUND_TRIP = "with its arrays brought to the device and back"


def time_text(us: float) -> str:
    """`3.71 µs`, `131 µs`, `12.5 ms`, `2.31 s`: three digits, in the unit that a person would say."""
    for limit, divisor, unit in ((1e3, 1.0, "µs"), (1e6, 1e3, "ms")):
        if us < limit * 0.9995:
            return f"{us / divisor:.3g} {unit}"
    return f"{us / 1e6:.3g} s"


def claim(timing: Timing) -> str:
    """`, 3.1 times as fast as turn 1` for a headline; nothing when the measurement does not carry it."""
    speedup = timing.speedup
    if speedup is None or (timing.interval is not None and not timing.is_faster):
        return ""
    return f", {ratio_text(speedup)} times as fast as {timing.baseline}"


def ratio_text(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= 1000 else f"{ratio:.3g}"


def timing_sentences(timing: Timing) -> Iterator[str]:
    """The claim with its full conditions, one sentence each."""
    yield f"{_measured(timing)}{_floor(timing)}."
    comparison = _comparison(timing)
    if comparison:
        yield comparison
    yield from _others(timing)
    state = _state(timing.clocks)
    if state:
        yield state


def timing_rows(timing: Timing) -> list[tuple[str, str, str]]:
    """(what, its time, how it stands to the kernel): a table for a report."""
    spread = f"{time_text(min(timing.samples_us))} to {time_text(max(timing.samples_us))}"
    rows = [("kernel, cache cold", time_text(timing.median_us), f"{len(timing.samples_us)} samples, {spread}")]
    if timing.warm_us:
        rows.append(("kernel, cache warm", time_text(median(timing.warm_us)), ""))
    if timing.floor_us:
        stands = f"by {timing.floor_by}; the kernel takes {timing.of_floor:.3g} times it"
        rows.append(("floor", time_text(timing.floor_us), stands))
    if timing.end_to_end_us:
        rows.append((ROUND_TRIP, time_text(median(timing.end_to_end_us)), ""))
    if timing.baseline_samples_us:
        times = timing.speedup or 0.0
        sure = f" (95 %: {timing.interval[0]:.3g} to {timing.interval[1]:.3g})" if timing.interval else ""
        took = time_text(median(timing.baseline_samples_us))
        rows.append((timing.baseline, took, f"the kernel is {ratio_text(times)} times as fast{sure}"))
    for other in timing.others:
        times = other.median_us / timing.median_us
        rows.append((other.name, time_text(other.median_us), f"the kernel alone is {ratio_text(times)} times as fast"))
    return rows


def _measured(timing: Timing) -> str:
    sizes = f" for {', '.join(f'{name} = {value:,}' for name, value in timing.case.sizes)}" if timing.case else ""
    how = f"the median of {len(timing.samples_us)} samples, each after the cache was flushed"
    if timing.calls_per_sample > 1:
        how += f" and {timing.calls_per_sample} calls long"
    graph = ", launched as a CUDA graph" if timing.is_graph else ""
    warm = f"; {time_text(median(timing.warm_us))} with a warm cache" if timing.warm_us else ""
    on = f" on {timing.gpu}" if timing.gpu else ""
    return f"It takes {time_text(timing.median_us)}{on}{sizes} ({how}{graph}{warm})"


def _floor(timing: Timing) -> str:
    if not timing.floor_us:
        return ""
    share = 100.0 * timing.floor_us / timing.median_us
    return f", and no kernel could take less than {time_text(timing.floor_us)} ({timing.floor_by}): {share:.0f} % of it"


def _comparison(timing: Timing) -> str:
    speedup = timing.speedup
    if speedup is None:
        return ""
    if timing.interval is None:
        return f"{ratio_text(speedup)} times as fast as {timing.baseline}, which was timed apart from it."
    low, high = timing.interval
    noise = f"; one kernel timed twice differs by up to {100 * timing.noise:.1f} % here" if timing.noise else ""
    sure = f"95 % interval {low:.3g} to {high:.3g}, paired and in random order{noise}"
    if timing.is_faster:
        return f"{ratio_text(speedup)} times as fast as {timing.baseline} ({sure})."
    return f"It is not claimed to be faster than {timing.baseline}: the ratio is {speedup:.3g} ({sure})."


def _others(timing: Timing) -> Iterator[str]:
    if timing.end_to_end_us:
        yield f"{time_text(median(timing.end_to_end_us))} {ROUND_TRIP}."
    if timing.others:
        listed = ", ".join(f"{time_text(other.median_us)} with {other.name}" for other in timing.others)
        yield f"The C itself takes {listed}."


def _state(clocks: Clocks | None) -> str:
    if clocks is None:
        return ""
    told = []
    if clocks.sm_mhz is not None:
        told.append(f"the SM clock was {clocks.sm_mhz:,} MHz")
    if clocks.temperature_c is not None:
        told.append(f"{clocks.temperature_c} °C")
    throttle = f"slowed down by {', '.join(clocks.throttled_by)}" if clocks.throttled_by else "not throttled"
    text = ", ".join([*told, throttle])
    return f"{text[0].upper()}{text[1:]}."

