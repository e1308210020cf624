"""Whether any node could host a pod is found out once for each size, not anew for each pod."""

from collections.abc import Iterator, Mapping

from elasticquota.forest import judge
from elasticquota.ledger import misfit
from elasticquota.ledger.accounting import Accounting
from elasticquota.ledger.holdings import Holdings
from elasticquota.ledger.misfit import Gauge, Shapes
from elasticquota.model.key import Key
from elasticquota.model.node import Node
from elasticquota.model.pod import Pod
from elasticquota.model.quota import Quota


class Counted(Mapping[str, Shapes]):
    """The shapes of one tree, and how often somebody looked at them."""

    def __init__(self, shapes: Shapes) -> None:
        self.looks = 0
        self._shapes = shapes

    def __getitem__(self, key: str) -> Shapes:
        self.looks += 1
        return self._shapes

    def __iter__(self) -> Iterator[str]:
        return iter(("",))

    def __len__(self) -> int:
        return 1


def test_equal_nodes_are_one_shape() -> None:
    nodes = [Node(f"n{i}", "", {}, {"cpu": 8_000 + i % 3, "pods": 110}) for i in range(300)]
    assert misfit.shapes(nodes) == (
        {"cpu": 8_000, "pods": 110},
        {"cpu": 8_001, "pods": 110},
        {"cpu": 8_002, "pods": 110},
    )


def test_the_shapes_are_looked_at_once_for_each_size() -> None:
    quota = Quota(Key("teams", "team-a"), "a", "1")
    members = Accounting().membership(judge.build((quota,)))
    shapes = Counted(({"cpu": 8_000, "pods": 110},))
    gauge = Gauge(members, shapes, Accounting(), {}, Holdings().bounds)
    for cpu in (4_000, 8_000):
        for number in range(100):
            pod = Pod(Key("teams", f"p{number}"), f"{number}", "", request={"cpu": cpu, "pods": 1})
            assert gauge.misfit(pod, "team-a") is None
    assert shapes.looks == 2
