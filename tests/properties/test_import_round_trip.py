"""Law: imported quotas decide as those that the translation made.

One ledger has the quotas as they were translated, with the other system's own numbers in accounting
units. The other has the quotas that a user applied from what ``import`` printed.
"""

from collections.abc import Iterable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import foreign_objects
import law_content
import ledger_snapshots
import translations
from elasticquota import names
from elasticquota.integrations.translation.translation import Translation
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.key import Key
from elasticquota.model.node import Node
from elasticquota.model.pod import Pod
from elasticquota.model.quota import Quota


CREATED = "2026-01-01T00:00:00Z"
DEVICE = "nvidia.com/gpu"
MOMENTS = (0, ledger_snapshots.POLICY.grace, ledger_snapshots.POLICY.delay)

REQUESTS = st.fixed_dictionaries(
    {names.CPU: st.integers(0, 8000), names.PODS: st.just(1)},
    optional={names.MEMORY: st.integers(0, 12 * 2**30), DEVICE: st.integers(0, 3)},
)
OFFERED = st.fixed_dictionaries(
    {names.CPU: st.integers(0, 40_000), names.PODS: st.just(110)},
    optional={names.MEMORY: st.integers(0, 40 * 2**30), DEVICE: st.integers(0, 20)},
)


@st.composite
def pods(draw: st.DrawFn) -> list[Pod]:
    """Pods of the namespaces that the foreign objects name; some run and some wait."""
    drawn = st.tuples(
        foreign_objects.NAMESPACES, REQUESTS, st.booleans(), st.sampled_from((0, 100))
    )
    return [
        Pod(
            Key(namespace, f"pod-{number}"),
            f"uid-{number:02}",
            CREATED,
            "",
            request,
            priority=priority,
            node_name="node" if runs else "",
            started=CREATED if runs else "",
            gates=() if runs else (names.GATE,),
        )
        for number, (namespace, request, runs, priority) in enumerate(
            draw(st.lists(drawn, max_size=12))
        )
    ]


def ledger(quotas: Iterable[Quota], offered: Any, found: list[Pod]) -> Ledger:
    told = Ledger()
    told.upsert_node(Node("node", CREATED, {}, offered))
    for quota in translations.aged(quotas):
        told.upsert_quota(quota)
    for pod in found:
        told.upsert_pod(pod)
    return told


def decides_as_translated(translated: Translation, offered: Any, found: list[Pod]) -> None:
    own = ledger(translated.quotas, offered, found)
    imported = ledger(translations.read_back(translated), offered, found)
    assert ledger_snapshots.picture(imported) == ledger_snapshots.picture(own)
    for now in MOMENTS:
        decisions = ledger_snapshots.decisions(own, now)
        assert ledger_snapshots.decisions(imported, now) == decisions
        for told in (own, imported):
            told.remember(decisions.clocks)


@law_content.about(releases=1 / 10, waits=1 / 4)
@given(foreign_objects.TREES, OFFERED, pods())
def test_imported_trees_decide_as_translated(trees: Any, offered: Any, found: list[Pod]) -> None:
    decides_as_translated(translations.of_ack(*trees), offered, found)


@law_content.about(releases=1 / 10, waits=1 / 4)
@given(foreign_objects.LIMITS, OFFERED, pods())
def test_imported_capacity_quotas_decide_as_translated(
    limits: Any, offered: Any, found: list[Pod]
) -> None:
    decides_as_translated(translations.of_capacity(*limits), offered, found)


@law_content.about(releases=1 / 40, waits=1 / 6)
@given(foreign_objects.CONFIGS, foreign_objects.SPACES, OFFERED, pods())
def test_imported_queues_decide_as_translated(
    config: Any, spaces: Any, offered: Any, found: list[Pod]
) -> None:
    decides_as_translated(translations.of_yunikorn(config, *spaces), offered, found)


@law_content.about(releases=1 / 20, waits=1 / 4)
@given(foreign_objects.HARD, OFFERED, pods())
def test_imported_resource_quotas_decide_as_translated(
    hard: Any, offered: Any, found: list[Pod]
) -> None:
    decides_as_translated(translations.of_resource_quotas(*hard), offered, found)
