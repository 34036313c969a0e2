"""Tells where a thread reads or writes what is not there, not aligned, or not yet written."""

from __future__ import annotations

from cudaperf_magic.bench.simulator import native
from cudaperf_magic.bench.simulator.faults.context import (
    IS_WRITE,
    WAS_WRITE,
    Context,
    SharedArray,
    Told,
    counted,
    line_at,
    total,
    verb,
    who,
)
from cudaperf_magic.bench.simulator.faults.names import (
    Element,
    buffer_element,
    local_element,
    nearest,
    plain_name,
    shared_element,
)
from cudaperf_magic.bench.simulator.faults.races import meet

NULL_PAGE = 4096  # below, an address is a null pointer with an index
FAR = 1 << 20  # bytes beyond which an address is no longer said to be near a buffer
BORDER = 2  # elements beside an array that a neighbour's index reaches


def out_of_bounds(raw: native.Fault, context: Context) -> Told:
    does = f"{who(raw, context)} {verb(raw, context)}"
    if raw.address < NULL_PAGE or raw.address > (1 << 64) - NULL_PAGE:
        return Told("out_of_bounds", f"{does} through a null pointer", "pass the kernel a pointer that was allocated")
    freed = next((e for e in context.freed if 0 <= raw.address - e.start < e.size), None)
    if freed is not None:
        element = buffer_element(freed, raw.address, raw.extra, context)
        return Told(
            "out_of_bounds",
            f"{does} {element.name}, but {element.array} is not allocated here any more",
            f"call cudaFree({freed.name}) after the last launch that uses it",
        )
    extent = nearest(context.extents, raw.address)
    if extent is None or abs(raw.address - extent.start) > max(FAR, 4 * extent.size):
        return Told(
            "out_of_bounds",
            f"{does} at an address far from every buffer",
            "check the pointer and how its index is computed; a product of ints overflows beyond 2,147,483,647, "
            "size_t does not",
        )
    element = buffer_element(extent, raw.address, raw.extra, context)
    return Told("out_of_bounds", f"{does} {element.name}, but {element.holds}", _stay_inside(raw, element, context))


def _stay_inside(raw: native.Fault, element: Element, context: Context) -> str:
    threads = total(context.block)
    index = element.index
    if index < -BORDER:
        return "the index is negative: check its signs and that no product of ints overflows (compute it as size_t)"
    if index < 0:
        return (
            f"the first element has no neighbour before it: read {element.array} there only if the index is at least 0"
        )
    x = raw.block % context.grid[0] * context.block[0] + raw.thread % threads % context.block[0]
    is_own = index in (raw.block * threads + raw.thread, x) and context.grid[0] * context.block[0] > element.count
    if is_own:
        more = total(context.grid) * threads
        return f"the grid has {more:,} threads for {counted(element.count, 'element')}; guard the access: if (i < n)"
    if index == element.count:
        last = f"{element.array}[{element.count - 1}]"
        return f"the last element is {last}: stop one earlier (< n, not <= n), or guard the border"
    return "guard the access with the array's size, or check the index arithmetic (row * width + column)"


def shared_bounds(raw: native.Fault, context: Context) -> Told:
    does = f"{who(raw, context)} {verb(raw, context)}"
    found = shared_element(raw.address, raw.extra, context)
    if found is None:
        return Told(
            "out_of_bounds",
            f"{does} shared memory, but the block has none",
            "give the launch its bytes of shared memory: kernel<<<grid, block, bytes>>>",
        )
    element, array = found
    message = f"{does} {element.name} in shared memory, but {element.holds}"
    return Told("out_of_bounds", message, _shared_remedy(element, array))


def _shared_remedy(element: Element, array: SharedArray) -> str:
    if element.index < 0:
        return f"the index is below the start of {element.array}: shift it, as with a halo of one element on the left"
    if array.is_dynamic:
        needed = (element.index + 1) * element.size
        return f"give the launch at least {needed:,} bytes of shared memory, now {array.size:,}, or use smaller indices"
    return f"make {element.array} larger, or keep its index below {element.count:,}"


def local_bounds(raw: native.Fault, context: Context) -> Told:
    does = f"{who(raw, context)} {verb(raw, context)}"
    offset = raw.address - (1 << 32) if raw.address < 1 << 32 <= raw.address + (1 << 31) else raw.address
    element = local_element(offset, raw.extra, context)
    if element is None:
        end = "before the start" if offset < 0 else "past the end"
        return Told("out_of_bounds", f"{does} {end} of its own local array", "keep the index inside the array")
    message = f"{does} {element.name}, its own local array, but {element.holds}"
    return Told("out_of_bounds", message, f"keep the index between 0 and {element.count - 1:,}")


def wild(raw: native.Fault, context: Context) -> Told:
    return Told(
        "out_of_bounds",
        f"{who(raw, context)} {verb(raw, context)} past the kernel's parameters",
        "keep the index inside the array that the parameter holds",
    )


def misaligned(raw: native.Fault, context: Context) -> Told:
    size = context.sites[raw.site].size
    where = _where(raw, context)
    message = f"{who(raw, context)} {verb(raw, context)} {size} bytes at once"
    message += f" at {where}" if where else ""
    return Told(
        "misaligned",
        f"{message}, an address that is not a multiple of {size}",
        f"start at a multiple of {size} bytes, or access the elements one by one",
    )


def _where(raw: native.Fault, context: Context) -> str:
    """The element that an address of any space is nearest to."""
    size = context.sites[raw.site].size
    if context.sites[raw.site].space == "shared" or raw.address >> 60 == 1:
        found = shared_element(raw.address & ~(0xF << 60), 0 if size > 8 else size, context)
        return found[0].name if found else ""
    extent = nearest(context.extents, raw.address)
    if (
        context.sites[raw.site].space == "local"
        or extent is None
        or abs(raw.address - extent.start) > FAR + extent.size
    ):
        return ""
    if not extent.itemsize or (raw.address - extent.start) % extent.itemsize:
        return f"byte {raw.address - extent.start:,} of {plain_name(extent.name.removeprefix('::'))}"
    return buffer_element(extent, raw.address, extent.itemsize, context).name


def uninitialised_global(raw: native.Fault, context: Context) -> Told:
    extent = nearest(context.extents, raw.address)
    element = buffer_element(extent, raw.address, raw.extra, context) if extent else None
    name = element.name if element else "memory"
    return Told(
        "uninitialised",
        f"{who(raw, context)} reads {name}, which nothing has written",
        f"write {element.array if element else 'it'} first, in a launch of its own or with cudaMemset",
    )


def uninitialised_shared(raw: native.Fault, context: Context) -> Told:
    found = shared_element(raw.address, raw.extra, context)
    name = found[0].name if found else "shared memory"
    return Told(
        "uninitialised",
        f"{who(raw, context)} reads {name} in shared memory, which nothing in its block has written yet",
        _fill_first(raw, found[0] if found else None, context),
    )


def _fill_first(raw: native.Fault, element: Element | None, context: Context) -> str:
    if element is None:
        return "write it first, then __syncthreads(), then read"
    writer = _late_writer(raw, context)
    if writer is not None:
        here, there = line_at(context, raw.site), line_at(context, writer)
        which = f"line {there}" if there else "another access"
        return f"{which} writes {element.array}, and this read does not wait for it: " + meet(
            "__syncthreads()", here, there, context
        )
    if element.count == 1:
        return f"let one thread set {element.array} first, then __syncthreads()"
    has_halo = element.count > total(context.block)
    if has_halo and (element.index < BORDER or element.index >= element.count - BORDER):
        border = f"{element.name} is at the border of {element.array}"
        return f"{border}: load the halo too, or set it to 0, before __syncthreads()"
    return f"let some thread write every element of {element.array} (0 where there is no input), then __syncthreads()"


def _late_writer(raw: native.Fault, context: Context) -> int | None:
    """The site of a store with which this read races: what is not written yet is so for want of a barrier."""
    for race in context.races:
        if race.site == raw.site and race.flags & WAS_WRITE:
            return int(race.other_site)
        if race.other_site == raw.site and race.flags & IS_WRITE:
            return int(race.site)
    return None


def not_landed(raw: native.Fault, context: Context) -> Told:
    found = shared_element(raw.address, raw.extra, context)
    name = found[0].name if found else "shared memory"
    return Told(
        "uninitialised",
        f"{who(raw, context)} reads {name}, which cp.async has not brought yet; wait for the copy first",
        "wait for the copy (cp.async.wait_group, __pipeline_wait_prior, cg::wait), then __syncthreads(), then read",
    )
