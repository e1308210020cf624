"""Law: equal claims get the same, but for one unit that cannot be cut; the earlier one has it.

Algorithm 4 ("twins"). Koordinator gives three equal quotas 16, 16 and 13 (algorithm 1.3).
"""

from hypothesis import given

import levels
from oracle import Claim


@given(levels.levels(most=4), levels.claims())
def test_twins_are_within_one_unit(level: levels.Level, twin: Claim) -> None:
    first, *_, last = levels.Level(level.total, (twin, *level.claims, twin)).shares()
    assert 0 <= first - last <= 1
