"""Sentences about a PyTorch module held against `Model`: what its verdict stands on. words.py is about CUDA kernels."""

from __future__ import annotations

from ..records import Task, Verdict


def headline(task: Task, verdict: Verdict) -> str:
    """Of a module that passed."""
    return f"ModelNew computes what {task.entry} does: it agrees on all {verdict.cases_passed:,} calls."


def conditions(task: Task, verdict: Verdict) -> tuple[str, ...]:
    """What "it passed" stands on, each as one sentence; of a pass only."""
    found = [
        f"Called {verdict.cases_passed:,} times on fresh inputs of secret seeds, at new and at used addresses: nominal "
        "ones, near-copies of them, and every other family that suits the module.",
        "Floating-point outputs may err a few times as much as Model itself does beside the same Model in float64; "
        "integers agree, ties aside.",
    ]
    if verdict.is_deterministic is not None:
        found.append(
            "The same inputs gave the same bits."
            if verdict.is_deterministic
            else "The same inputs gave other last bits: the order of its additions is not fixed."
        )
    if verdict.generality is not None:
        passed, tried = verdict.generality
        found.append(f"On other shapes, batch sizes above all, which it need not support, {passed} of {tried} pass.")
    return tuple(found)


def where(device: str) -> str:
    """Without a device, nothing is timed."""
    return f"Ran on {device}: PyTorch modules run there as they are, and no time is claimed."
