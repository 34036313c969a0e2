"""A Request's options as the arguments of the public functions, the same for the command line and the magics.

It reads and writes the files that options name; it decides nothing about kernels.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from . import records_json
from .errors import UsageError
from .module_tasks import module_task
from .options import Request
from .reading import read_file
from .records import Episode, Outcome, Task
from .records_inspection import Inspection
from .rewards import Preset, save_preset
from .tasks.pytorch import OWN_KERNELS_ONLY
from .whole_files import half_of, unwritable, write_whole

_FLAGS = {"sizes": "--size", "ranges": "--range", "defines": "--define", "folders": "--include"}
_READING = ("entry", "sizes", "ranges", "defines", "folders")


def reading(request: Request) -> dict[str, Any]:
    """How the C is read."""
    return {**{name: getattr(request, name) for name in _READING}, "seed": request.seed or 0}


def playing(request: Request) -> dict[str, Any]:
    """How an episode is played, and how its C is read."""
    names = ("turns", "proposals", "policy", "device", "reward")
    return {**reading(request), **{name: request.values[name] for name in names}}


def inspecting(request: Request) -> dict[str, Any]:
    """What is run, on what, and how closely it is watched."""
    given = reading(request)
    del given["folders"]
    return {
        **given,
        "launch": request.launches,
        "device": request.device,
        "check_global_races": request.races,
        "line": request.line,
    }


def resuming(request: Request) -> dict[str, Any]:
    return {name: request.values[name] for name in ("identity", "turns", "proposals", "policy", "device", "hint")}


def checking(request: Request) -> dict[str, Any]:
    """How a kernel is held against a task."""
    return {"device": request.device, "reward": request.reward, "goals": request.goal}


def comparing(request: Request, namespace: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Which kernels, under which reward, and what .cu files are held against."""
    if not request.against:
        refuse_reading(request)
    return {
        "names": request.names,
        "reward": request.reward,
        "against": against(request, namespace) if request.against else None,
        "device": request.device,
        "is_measured": request.measure,
        "namespace": namespace,
    }


def rewarding(request: Request) -> dict[str, Any]:
    """Which episodes, which reward, and which of its numbers are replaced.

    Raises:
        UsageError: --all beside names.
    """
    if request.all and request.names:
        raise UsageError(f"--all takes every episode of the store; leave it out, or {' '.join(request.names)}")
    return {"names": request.names, "reward": request.reward, "changes": request.set, "is_all": request.all}


def against(request: Request, namespace: Mapping[str, Any] | None = None) -> Task:
    """The task that `--against` names: something in the notebook, a C or Python file, or an episode as named.py
    finds it.

    Raises:
        UsageError: there is none.
    """
    from .named import FILES, task

    name = request.against
    of_modules = module_task(name, namespace, (OWN_KERNELS_ONLY,) if request.own_kernels else ())
    if of_modules is not None:
        refuse_reading(request)
        return of_modules
    if request.own_kernels:
        raise UsageError(f"--own-kernels is of PyTorch modules, and {name} is none; every CUDA kernel is its own")
    path = Path(name)
    if name not in (namespace or {}) and (path.suffix == ".c" or (path.is_file() and path.suffix not in FILES)):
        return read_file(name, **reading(request))
    refuse_reading(request)
    try:
        return task(name, namespace)
    except UsageError as problem:
        raise UsageError(f"--against {name}: {problem}") from None


def refuse_reading(request: Request) -> None:
    """A task that was read already cannot be read otherwise; silence would be a lie."""
    for name in _READING:
        if getattr(request, name):
            flag = _FLAGS.get(name, f"--{name}")
            what = f"{request.against} was read already; leave it out" if request.against else "--against names none"
            raise UsageError(f"{flag} says how a C file is read, and {what}")


def save_reward(path: str | None, preset: Preset) -> None:
    if path:
        save_preset(preset, path)


def write_data(path: str | None, data: Mapping[str, Any]) -> None:
    """What a report holds for a renderer, as JSON."""
    if path:
        write_whole(path, json.dumps(data, allow_nan=False) + "\n")


def write_json(path: str | None, record: Episode | Outcome | Inspection) -> None:
    if path:
        write_whole(path, records_json.dumps(record) + "\n")


def refuse_unwritable(*paths: str | None) -> None:
    """Says before the work begins what could not be written after it. Nothing is left behind.

    Raises:
        UsageError: a folder that is missing, or may not be written to; or the path is a folder itself.
    """
    for path in paths:
        if not path:
            continue
        half = half_of(path)
        try:
            if Path(path).is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            half.touch()
            half.unlink()
        except OSError as problem:
            raise unwritable(path, problem) from None
