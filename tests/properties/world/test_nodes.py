"""What is taken back for a large pod is in one piece: it runs as soon as its victims are gone."""

import pytest

from virtual_cluster.scene import Scene
from virtual_cluster.timeline import MINUTE, SECOND


@pytest.mark.parametrize("large", [2, 3, 4])
def test_a_large_pod_of_an_owner_runs_where_small_ones_were_spread(large: int) -> None:
    scene = Scene(nodes=0)
    for kind in ("a", "b", "c"):
        scene.node(f"node-{kind}", 4, {"kind": kind})
    scene.quota("borrower", max=12)
    scene.quota("owner", min=6)
    for turn in range(4):
        for kind in ("a", "b", "c"):
            scene.run(f"small-{kind}-{turn}", "borrower", on=kind)
            scene.play(SECOND)
    assert scene.used() == {"borrower": 12}
    scene.run("large", "owner", cpu=large)
    scene.play(MINUTE)
    assert scene.runs_of("large") == 1
    assert len(scene.evictions) == large
