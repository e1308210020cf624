"""The configuration chooses the systems whose pod groups are read, and adds rows of the user."""

import pytest

from elasticquota.jobs.adapter import Sign
from elasticquota.pod_groups import table
from elasticquota.pod_groups.adapter import PodGroupAdapter, SizedBy
from elasticquota_config import model


MINE = """
podGroups:
  kinds: [volcano]
  adapters:
  - name: mine
    group: [example.com/gang]
    index: [example.com/replica]
    size: [example.com/members]
    together: [example.com/with]
    oneByOne: [example.com/serial]
    object:
      group: example.com
      versions: [v2, v1]
      kind: Gang
      plural: gangs
      size: spec.members
      missing: null
      oneByOne: {path: spec.policy, values: [Serial]}
      together: [example.com/with]
"""


def test_no_group_of_another_system_is_read_unless_it_is_chosen() -> None:
    assert model.parse("").group_adapters() == ()


def test_built_in_systems_are_chosen_by_name() -> None:
    for name, row in zip(table.NAMES, table.BUILT_IN, strict=True):
        assert model.parse(f"podGroups: {{kinds: [{name}]}}").group_adapters() == (row,)


def test_a_row_of_the_file_has_the_fields_of_a_built_in_one() -> None:
    volcano, mine = model.parse(MINE).group_adapters()
    assert volcano.name == "volcano"
    assert mine == PodGroupAdapter(
        name="mine",
        group=("example.com/gang",),
        index=("example.com/replica",),
        size=("example.com/members",),
        together=("example.com/with",),
        one_by_one=("example.com/serial",),
        object=SizedBy(
            "example.com",
            ("v2", "v1"),
            "Gang",
            "gangs",
            "spec.members",
            None,
            Sign("spec.policy", ("Serial",)),
            ("example.com/with",),
        ),
    )


def test_a_row_of_the_file_replaces_the_built_in_one_of_its_name() -> None:
    text = "podGroups: {kinds: [volcano], adapters: [{name: volcano, group: [a/b], size: [a/c]}]}"
    assert model.parse(text).group_adapters() == (
        PodGroupAdapter("volcano", group=("a/b",), size=("a/c",)),
    )


HEAD = "podGroups: {adapters: [{name: mine, group: [a/b], "
AT = "podGroups.adapters.0"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "podGroups: {kinds: [volcan]}",
            "podGroups.kinds.0: there is no built-in kind of pod groups 'volcan', did you mean "
            "volcano?",
        ),
        ("podGroups: {kind: []}", "podGroups.kind: unknown key, did you mean kinds?"),
        (HEAD + "}]}", f"{AT}: must have size, definitions or object, which say how many pods"),
        (
            HEAD + "definitions: [a/d]}]}",
            f"{AT}: must have index with definitions, which names the group of a pod",
        ),
        (
            HEAD + "size: [a b]}]}",
            f"{AT}.size.0: must be the key of a label or annotation, got 'a b'",
        ),
        (
            HEAD + "object: {group: a.b, versions: [v1], kind: A, plural: as, size: spec..x}}]}",
            f"{AT}.object.size: must be the names of fields joined by dots",
        ),
    ],
)
def test_a_fault_is_named_with_its_place(text: str, sentence: str) -> None:
    with pytest.raises(model.ConfigurationError) as refused:
        model.parse(text)
    assert str(refused.value).startswith(sentence)
