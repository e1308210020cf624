"""Law: any objects of Kueue, HNC, Volcano and KAI Scheduler give quotas or warnings.

The webhook's rules and the controller accept what ``import`` prints, the order of objects and of
lists decides nothing, and each object with a name is either a quota or in a warning.
"""

import random
from collections.abc import Callable
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

import levels
import peer_objects
import translation_laws
import translations
from elasticquota.integrations.translation.translation import Translation
from elasticquota.wire.codec import fields


Translate = Callable[..., Translation]

SYSTEMS: Final[dict[str, tuple[st.SearchStrategy[list[Any]], Translate]]] = {
    "kueue": (peer_objects.KUEUE, translations.of_kueue),
    "hnc": (peer_objects.HNC, translations.of_hnc),
    "volcano": (peer_objects.VOLCANO, translations.of_volcano),
    "kai": (peer_objects.KAI, translations.of_kai),
}
QUOTAS: Final = {"Cohort": "cohort/", "ClusterQueue": "clusterqueue/", "Queue": ""}


@pytest.mark.parametrize("system", SYSTEMS)
@given(data=st.data())
def test_any_objects_give_quotas_that_are_accepted(system: str, data: st.DataObject) -> None:
    objects, translate = SYSTEMS[system]
    drawn = data.draw(objects)
    translation_laws.what_comes_out_is_good(translate(*drawn), namespaces(drawn))


def namespaces(objects: list[Any]) -> set[str]:
    """The namespaces that the objects name."""
    return {
        space
        for each in objects
        for space in (
            each["metadata"].get("namespace"),
            each["metadata"]["name"] if each["kind"] in ("Namespace", "SubnamespaceAnchor") else "",
        )
        if space
    }


@pytest.mark.parametrize("system", SYSTEMS)
@given(data=st.data(), dice=levels.DICE)
def test_the_order_of_objects_changes_nothing(
    system: str, data: st.DataObject, dice: random.Random
) -> None:
    objects, translate = SYSTEMS[system]
    translation_laws.order_decides_nothing(translate, data.draw(objects), dice)


@pytest.mark.parametrize("system", ["kueue", "volcano", "kai"])
@given(data=st.data())
def test_each_queue_is_a_quota_or_in_a_warning(system: str, data: st.DataObject) -> None:
    objects, translate = SYSTEMS[system]
    drawn = data.draw(objects)
    found = translate(*drawn)
    told = {warning.source for warning in found.warnings}
    for each in drawn:
        name = each["metadata"]["name"]
        if each["kind"] in QUOTAS and not (system == "volcano" and name == "root"):
            origin = f"{system}:{QUOTAS[each['kind']]}{name}"
            source = f"{each['kind']} {fields.shown_key(name)}"
            assert origin in found.origins.values() or source in told


@pytest.mark.parametrize("system", SYSTEMS)
@given(data=st.data())
def test_the_same_objects_twice_change_nothing(system: str, data: st.DataObject) -> None:
    objects, translate = SYSTEMS[system]
    drawn = data.draw(objects)
    assert translate(*drawn, *drawn).quotas == translate(*drawn).quotas
