"""Elements and values as a person reads them: `y[3][17]`, `0.25`, `-7`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cudaperf_magic.bench.reference.run import Leaf


def element_text(leaf: Leaf, flat: int) -> str:
    """The element of an output by its flat index; a value returned through one element goes by its name alone."""
    field = f".{leaf.path}" if leaf.path else ""
    if leaf.is_scalar:
        return f"{leaf.name}{field}"
    subscripts = "".join(f"[{int(at)}]" for at in np.unravel_index(flat, leaf.plain.shape))
    return f"{leaf.name}{subscripts}{field}"


def value_text(value: Any) -> str:
    """Enough digits to tell two values of this type apart."""
    if value.dtype.kind == "f":
        is_handy = value == 0 or 1e-4 <= abs(value) < 1e7
        return np.format_float_positional(value, trim="0") if is_handy else np.format_float_scientific(value)
    return str(value.item())
