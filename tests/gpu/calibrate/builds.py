"""The compiled kernels of every case: built anew, or taken from a folder, so that the GPU runs the very same code."""

from __future__ import annotations

import pickle
from pathlib import Path

from cudaperf_magic.bench.nvrtc import Compiled, build

from .case import KERNELS
from .cases import by_file

ARCH = "sm_90"


def compiled(file: str, folder: Path | None = None) -> Compiled:
    """The build of one file of kernels/. With a folder: what lies there, else a new build that is left there."""
    held = folder / f"{file}.build" if folder else None
    if held is not None and held.exists():
        found = pickle.loads(held.read_bytes())
        assert isinstance(found, Compiled)
        return found
    made = build((KERNELS / file).read_text(), ARCH, names=by_file()[file])
    assert made.build.ok, f"{file}: {made.build.log}"
    if held is not None:
        held.parent.mkdir(parents=True, exist_ok=True)
        held.write_bytes(pickle.dumps(made))
    return made
