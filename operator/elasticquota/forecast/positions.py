"""The range of any position of a queue, from the few positions that a status lists.

Between two listed positions both ends are interpolated, and rounded outwards. Beyond the last one
they grow in proportion to the position. So they never fall from one position to the next.
"""

from elasticquota.model.wait_estimate import PositionRange, WaitEstimate, WaitRange


def of_position(estimate: WaitEstimate, position: int) -> WaitRange | None:
    """Return the range of ``position``, from 1, counted from ``estimate.made_at``.

    None: the estimate has no ranges.
    """
    listed = estimate.positions
    if not listed:
        return None
    if position <= listed[0].position:
        return listed[0].range
    before = listed[0]
    for after in listed:
        if position <= after.position:
            return _between(before, after, position)
        before = after
    scale = before.position
    high = None if before.high is None else -(-before.high * position // scale)
    return WaitRange(before.low * position // scale, high)


def remaining(found: WaitRange, passed: int) -> WaitRange:
    """Return what is left of a range after ``passed`` seconds; it never falls below 0."""
    high = None if found.high is None else max(0, found.high - passed)
    return WaitRange(max(0, found.low - passed), high)


def _between(before: PositionRange, after: PositionRange, position: int) -> WaitRange:
    if position == after.position:
        return after.range
    step, width = position - before.position, after.position - before.position
    low = before.low + (after.low - before.low) * step // width
    if before.high is None or after.high is None:
        return WaitRange(low, None)
    return WaitRange(low, before.high - (before.high - after.high) * step // width)
