"""Gangs of all kinds in one queue, while the controller is killed: never half, never forgotten.

``GANGS=500`` is the large size. A gang has two to four pods of one cpu, and there is room for a
part of all gangs, so each round of gangs starts when the one before it is gone. The leader is
killed while the gangs come and in the middle of the first rounds.
"""

import os
from contextlib import suppress
from functools import partial

import pytest

import gangs
from gangs import Gang
from installation import Installation, Kubectl
from scenes import Pool, gates
from users import User
from waiting import eventually, stays


GANGS = int(os.environ.get("GANGS", "60"))
ROOM = max(16, GANGS // 2)
"""Whole cpus; a gang needs three on average."""
KILLS = 4
"""Rounds in the middle of which the leader is killed."""
REST = 60 + GANGS // 2
"""Seconds in which a round must come to rest."""
KNOWN = 30.0

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.long,
    pytest.mark.usefixtures("admission", "served"),
    pytest.mark.timeout(1200 + 8 * GANGS),
]


@pytest.fixture(scope="module")
def served(product: Installation, admin: User, kubectl: Kubectl) -> None:
    """The definitions of all systems' groups are there, and were installed after the controller."""
    gangs.serve(admin, kubectl)


class Churn:
    """The gangs of a pool that exist, by the prefix of their pods."""

    def __init__(self, pool: Pool, product: Installation) -> None:
        self._pool = pool
        self._product = product
        self.all: dict[str, Gang] = {}

    def submit(self, kubectl: Kubectl, numbers: range) -> None:
        """Create gangs of all kinds; those with an object have it before or after their pods."""
        made = {
            f"g{number}": gangs.gang(
                gangs.KINDS[number % len(gangs.KINDS)], f"gang-{number}", 2 + number % 3
            )
            for number in numbers
        }
        space = self._pool.namespace
        objects = [gangs.pod_group(space, each) for each in made.values() if each.has_object]
        gangs.apply(kubectl, *objects[::2])
        for prefix, gang in made.items():
            gangs.pods(self._pool, prefix, "team", gang, range(gang.size))
        gangs.apply(kubectl, *objects[1::2])
        self.all |= made

    def admitted(self) -> dict[str, int]:
        """How many pods of each gang are without our gate."""
        found = dict.fromkeys(self.all, 0)
        for pod in self._pool.admin.list("Pod", self._pool.namespace):
            prefix = pod["metadata"]["name"].rpartition("-")[0]
            if prefix in found and not gates(pod):
                found[prefix] += 1
        return found

    def halves(self) -> dict[str, int]:
        """The gangs of which only a part is admitted, with the number of pods."""
        return {
            prefix: count
            for prefix, count in self.admitted().items()
            if 0 < count < self.all[prefix].size
        }

    def rests(self) -> bool:
        """Whether no gang is in part admitted, and none waits that would fit."""
        admitted = self.admitted()
        sizes = [self.all[prefix].size for prefix, count in admitted.items() if not count]
        free = ROOM - sum(admitted.values())
        return not self.halves() and all(size > free for size in sizes)

    def finish(self) -> list[str]:
        """Delete the gangs that are admitted; returns their prefixes."""
        done = [prefix for prefix, count in self.admitted().items() if count]
        for prefix in done:
            size = self.all.pop(prefix).size
            self._pool.delete_pods(*(f"{prefix}-{number}" for number in range(size)))
        return done

    def kill(self) -> None:
        """``kill -9`` of the leader, unless it is down since the kill before."""
        with suppress(ProcessLookupError):
            self._product.kill(eventually(self._product.leader, bool, within=60))


def test_gangs_of_all_kinds_start_whole_and_none_is_forgotten_when_the_controller_is_killed(
    pool: Pool, product: Installation, kubectl: Kubectl, counted: dict[str, int]
) -> None:
    pool.quota("team", min=0, max=ROOM)
    for _ in range(ROOM // 8):
        pool.add_node(cpu=8)
    for kind in gangs.SERVED:
        eventually(partial(gangs.waits_for_its_object, pool, "team", kind), True, within=KNOWN)
    churn = Churn(pool, product)
    third = GANGS // 3
    for start in (0, third, 2 * third):
        churn.submit(kubectl, range(start, GANGS if start == 2 * third else start + third))
        churn.kill()
    rounds = 0
    while churn.all:
        eventually(churn.rests, True, within=REST)
        assert churn.finish()
        rounds += 1
        if rounds <= KILLS and churn.all:
            before = len(churn.all)
            eventually(lambda: sum(churn.admitted().values()) > 0, True, within=REST)
            churn.kill()
            assert len(churn.all) == before
    counted["rounds of gangs"] = rounds
    product.settle()
    stays(lambda: pool.running("team"), set())
