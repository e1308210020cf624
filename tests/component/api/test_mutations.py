"""Manifests with one wrong place start from good ones that use every field of the models."""

import copy
import random
from collections import Counter
from typing import Final

import pydantic
import pytest

import good_manifests
import manifest_mutations
import reader_faults
from elasticquota import quantity
from elasticquota_api.model import KubernetesObject


BASES: Final = {
    kind: good_manifests.manifests(kind, reader_faults.of) for kind in good_manifests.KINDS
}


@pytest.mark.parametrize("kind", BASES)
def test_the_manifests_of_a_kind_use_each_field_of_its_model(kind: type[KubernetesObject]) -> None:
    fields = good_manifests.fields(good_manifests.schema_of(kind))
    absent = [path for path in fields if not any(good_manifests.has(b, path) for b in BASES[kind])]
    assert absent == []


@pytest.mark.parametrize("kind", BASES)
def test_model_and_reader_take_the_manifests(kind: type[KubernetesObject]) -> None:
    for manifest in BASES[kind]:
        kind.read(manifest)
        assert reader_faults.of(kind, manifest) == ()


@pytest.mark.parametrize("kind", BASES)
def test_a_field_that_the_manifests_lack_gets_a_value_from_its_schema(
    kind: type[KubernetesObject], monkeypatch: pytest.MonkeyPatch
) -> None:
    needed = set(good_manifests.schema_of(kind).get("required", ()))
    known = good_manifests.SPECS[kind]
    bare = tuple({key: each[key] for key in needed} for each in known)
    monkeypatch.setitem(good_manifests.SPECS, kind, bare)
    for manifest in good_manifests.manifests(kind, reader_faults.of):
        assert manifest["spec"].keys() > needed
        assert reader_faults.of(kind, manifest) == ()


def test_a_seed_gives_the_same_manifests_and_each_mutation_its_part() -> None:
    before = copy.deepcopy(BASES)
    once, again, other = (
        [*manifest_mutations.generate(BASES, seed, 280)] for seed in ("a", "a", "b")
    )
    assert once == again
    assert once != other
    assert set(Counter(each.mutation for each in once).values()) == {20}
    assert before == BASES
    unchanged = [each for each in once if each.manifest in BASES[each.kind]]
    assert {each.mutation for each in unchanged} <= {"at the bound", "empty"}


PLACES: Final = {
    kind: {site.path: (each, site) for each in found for site in good_manifests.sites(kind, each)}
    for kind, found in BASES.items()
}
WRONG: Final = ("wrong type", "out of bounds", "nearest key")


@pytest.mark.parametrize("kind", BASES)
def test_a_reader_refuses_at_each_place_what_the_model_refuses(
    kind: type[KubernetesObject],
) -> None:
    """What it refuses beyond that, and what it takes, are the cases of ``test_schema_rules``."""
    tried = 0
    for manifest, site in PLACES[kind].values():
        for mutation in WRONG:
            for value in manifest_mutations.MUTATIONS[mutation](site, random.Random(0)):
                wrong = good_manifests.edited(manifest, site.path, value)
                if refused(kind, wrong) and not is_amount(value):
                    assert reader_faults.of(kind, wrong) != (), (site.path, value)
                    tried += 1
    assert tried > 300


def refused(kind: type[KubernetesObject], manifest: good_manifests.Document) -> bool:
    try:
        kind.read(manifest)
    except pydantic.ValidationError:
        return True
    return False


def is_amount(value: object) -> bool:
    """An amount that a reader takes in a form that no schema has, such as the number 1.5."""
    try:
        return isinstance(value, float) and quantity.parse(str(value)) >= 0
    except quantity.QuantityError:
        return False


def test_no_reader_raises_for_what_the_api_server_refuses() -> None:
    for each in manifest_mutations.generate(BASES, "raises", 1_000):
        assert isinstance(reader_faults.of(each.kind, each.manifest), tuple)
