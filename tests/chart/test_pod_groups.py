"""Reading pod groups of other systems is off; switched on it brings the right to read, no more."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from elasticquota.pod_groups import table
from elasticquota_config import model


Document = dict[str, Any]
Render = Callable[..., dict[tuple[str, str], Document]]

CONTROLLER = ("ClusterRole", "elastic-quota-controller")
MINE = {
    "name": "mine",
    "group": ["example.com/gang"],
    "object": {
        "group": "example.com",
        "versions": ["v1"],
        "kind": "Gang",
        "plural": "gangs",
        "size": "spec.members",
    },
}


def _added(render: Render, *settings: str) -> list[Document]:
    before = render()[CONTROLLER]["rules"]
    return [rule for rule in render(*settings)[CONTROLLER]["rules"] if rule not in before]


@pytest.mark.parametrize("row", table.BUILT_IN, ids=lambda row: row.name)
def test_the_controller_may_list_and_watch_the_objects_of_a_chosen_system(
    render: Render, row: Any
) -> None:
    found = _added(render, f'config.podGroups.kinds=["{row.name}"]')
    kind = row.object
    plurals = [each.plural for each in (kind, row.composite) if each]
    expected = {"apiGroups": [kind.group], "resources": plurals} if kind else None
    assert found == ([{**expected, "verbs": ["list", "watch"]}] if expected else [])


def test_a_system_of_the_user_is_a_row_of_the_file_and_a_right_to_read(render: Render) -> None:
    setting = f"config.podGroups.adapters={json.dumps([MINE])}"
    assert _added(render, setting) == [
        {"apiGroups": ["example.com"], "resources": ["gangs"], "verbs": ["list", "watch"]}
    ]
    (configuration,) = (
        found["data"]["config.yaml"]
        for (kind, _), found in render(setting).items()
        if kind == "ConfigMap" and "config.yaml" in found.get("data", {})
    )
    (row,) = model.parse(configuration).group_adapters()
    assert (row.name, row.object and row.object.size) == ("mine", "spec.members")


def test_nothing_but_rights_is_added(render: Render) -> None:
    kinds = json.dumps(list(table.NAMES))
    assert render(f"config.podGroups.kinds={kinds}").keys() == render().keys()
