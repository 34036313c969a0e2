"""Which operations of the framework a call makes, seen from inside the process that makes it.

A look from inside can be blinded by hostile code: what is seen counts as a label, what is not seen proves nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from ...errors import ToolchainError

# Operations that make, move or look at tensors without computing: whoever launches kernels of their own needs them.
PLUMBING = frozenset((
    "_local_scalar_dense", "_reshape_alias", "_to_copy", "_unsafe_view", "alias", "arange", "as_strided", "cat",
    "chunk", "clone", "constant_pad_nd", "contiguous", "copy", "copy_", "detach", "detach_", "empty", "empty_like",
    "empty_permuted", "empty_strided", "expand", "fill", "fill_", "full", "full_like", "is_pinned", "is_same_size",
    "item", "lift_fresh", "narrow", "new_empty", "new_empty_strided", "new_full", "new_ones", "new_zeros", "ones",
    "ones_like", "permute", "pin_memory", "record_stream", "reshape", "resize_", "scalar_tensor", "select", "set_",
    "slice", "slice_scatter", "split", "split_with_sizes", "squeeze", "stack", "stride", "sym_numel", "sym_size",
    "sym_storage_offset", "sym_stride", "t", "to", "transpose", "unbind", "unsqueeze", "view", "view_as_complex",
    "view_as_real", "zero", "zero_", "zeros", "zeros_like",
))  # fmt: skip


def operations_of(call: Callable[[], object]) -> dict[str, int]:
    """Names of dispatched operations ("aten.mm") with how often each was called."""
    from torch.utils._python_dispatch import TorchDispatchMode

    seen: Counter[str] = Counter()

    class Watch(TorchDispatchMode):  # type: ignore[no-untyped-call]
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
            packet = function.overloadpacket
            seen[f"{packet._qualified_op_name}".replace("::", ".")] += 1
            return function(*args, **(kwargs or {}))

    with Watch():  # type: ignore[no-untyped-call]
        call()
    return dict(seen)


def kernels_of(call: Callable[[], object]) -> list[tuple[str, int, int]]:
    """(symbol, nanoseconds, stream) of the kernels that ran, by CUPTI; none where it is absent or refused."""
    from ..counters.activity import Recorder
    from ..counters.cupti import CuptiError, load_cupti

    try:
        with Recorder(load_cupti()) as recorder:
            call()
    except (CuptiError, ToolchainError):
        return []
    return [(one.symbol, one.time_ns, one.stream) for one in recorder.ran]


def computing(operations: dict[str, int]) -> list[str]:
    """Those operations of the framework that compute, by name; a candidate's own operators are no library's."""
    return sorted(
        name for name in operations if name.startswith("aten.") and name.removeprefix("aten.") not in PLUMBING
    )
