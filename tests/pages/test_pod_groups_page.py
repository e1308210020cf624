"""docs/pod-groups.md tells of the table as it is, and what it shows can be used."""

import re
from pathlib import Path

import pytest

from elasticquota.pod_groups import reading, table
from elasticquota.pod_groups.adapter import PodGroupAdapter
from elasticquota_config import model
from elasticquota_config.fields import section
from elasticquota_config.sections import pod_groups


PAGE = (Path(__file__).parents[2] / "docs" / "pod-groups.md").read_text(encoding="utf-8")
BUILT_IN = PAGE[PAGE.index("## Built in") : PAGE.index("## Gangs that start together")]
OWN = PAGE[PAGE.index("## A system of your own") : PAGE.index("## Item by item")]
ITEMS = [line for line in PAGE.splitlines() if re.match(r"\| G\d", line)]


@pytest.mark.parametrize("row", table.BUILT_IN, ids=lambda row: row.name)
def test_every_built_in_system_has_its_row_with_its_keys_and_its_object(
    row: PodGroupAdapter,
) -> None:
    (line,) = (text for text in BUILT_IN.splitlines() if text.startswith(f"| `{row.name}` |"))
    for key in (*row.group, *row.index, *row.size, *row.definitions):
        assert f"`{key}`" in line
    if row.field:
        assert row.field in line
    if row.object is not None:
        assert f"`{row.object.kind}` `{row.object.group}/{row.object.versions[0]}`" in line
        assert f"`{row.object.size}`" in line


def test_the_lists_of_gangs_are_named() -> None:
    for row in table.BUILT_IN:
        assert all(f"`{key}`" in PAGE for key in row.together)
    assert f"up to {reading.MOST} gangs" in PAGE


def test_the_examples_are_configurations() -> None:
    choice, own = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert [row.name for row in model.parse(choice).group_adapters()] == list(table.NAMES)
    (row,) = model.parse(own).group_adapters()
    assert (row.name, row.object is not None) == ("mine", True)
    (kueue,) = re.findall(r"`({name: kueue.*?})`", OWN)
    (row,) = model.parse(f"podGroups: {{adapters: [{kueue}]}}").group_adapters()
    assert row.size == ("kueue.x-k8s.io/pod-group-total-count",)


def test_every_key_of_a_row_is_explained() -> None:
    keys = {
        key
        for kind in (pod_groups.PodGroupAdapterSection, pod_groups.SizedBySection)
        for key in section.keys(kind)
    }
    assert keys - set(re.findall(r"`([a-zA-Z]+)`", OWN)) == set()


def test_every_item_says_what_is_so_today() -> None:
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in ITEMS]
    assert [item for item, *_ in cells] == [f"G{number}" for number in range(1, 22)]
    for _, what, today in cells:
        assert what
        assert re.match(r"\*\*(same|better|different|not)\*\*", today)
        assert not today.startswith("**not**") or ("because" in today and "Instead: " in today)
