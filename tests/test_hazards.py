"""Where a block needs a barrier."""

from cudaperf_magic.compiler.analysis.usage import Usage
from cudaperf_magic.compiler.lowering.hazards import Pending

WRITES_A = Usage(stores={"a"})
READS_A = Usage(loads={"a"})
READS_B = Usage(loads={"b"})


def test_a_read_of_what_others_wrote_needs_a_barrier() -> None:
    pending = Pending()
    pending.add(WRITES_A, alone=False)
    assert pending.needs_barrier(READS_A, alone=False)
    assert not pending.needs_barrier(READS_B, alone=False)


def test_a_write_over_what_others_may_still_read_needs_a_barrier() -> None:
    pending = Pending()
    pending.add(READS_A, alone=False)
    assert pending.needs_barrier(WRITES_A, alone=True)
    assert not pending.needs_barrier(READS_A, alone=False)


def test_thread_0_needs_no_barrier_after_itself_but_the_others_do() -> None:
    pending = Pending()
    pending.add(WRITES_A, alone=True)
    assert not pending.needs_barrier(READS_A, alone=True)
    assert pending.needs_barrier(READS_A, alone=False)


def test_a_barrier_clears_and_a_join_keeps_both_sides() -> None:
    one, other = Pending(), Pending()
    one.add(WRITES_A, alone=False)
    other.add(READS_B, alone=True)
    joined = one.join(other)
    assert joined.needs_barrier(READS_A, alone=False)
    assert joined.needs_barrier(Usage(stores={"b"}), alone=False)
    joined.clear()
    assert not joined.needs_barrier(Usage(loads={"a"}, stores={"b"}), alone=False)
