"""The table of keys has every key that the code and the documentation have, in the right place."""

import re
from pathlib import Path

import pytest

from elasticquota import names
from elasticquota.forest import nearest_names


ROOT = Path(__file__).parents[3]
WIRE = ROOT / "operator" / "elasticquota" / "wire"
PAGE = (ROOT / "docs" / "annotations.md").read_text(encoding="utf-8")
SECTIONS = {
    "## Of quotas": "quota",
    "## Of ElasticQuotaTrees": "tree",
    "## Of profiles": "profile",
    "## Of pods": "pod",
    "## Of jobs": "job",
}
NOT_OF_USERS = {
    names.GATE,
    names.MAX_JOBS,
    names.MIRROR_POD,
    names.POOL_DOMAIN,
    names.PROVISIONING_FOR,
}
"""A gate, resources, Kubernetes' own annotation, and one of the requests that the controller makes:
users write none of them on these kinds."""
PREFIXES = {"K/": "quota.scheduling.koordinator.sh/", "E/": "elasticquota.dev/"}


def in_table() -> set[str]:
    places = (places for kinds in nearest_names.KEYS.values() for places in kinds.values())
    return {key for keys in places for key in keys} | NOT_OF_USERS


def test_every_key_in_names_is_in_the_table() -> None:
    values = vars(names).values()
    texts = {value for value in values if isinstance(value, str)}
    texts.update(*(value for value in values if isinstance(value, tuple)))
    keys = {text for text in texts if re.fullmatch(r"[a-z0-9.-]+/[a-z.-]+", text)}
    groups = {text for text in keys if re.search(r"/v\d", text)}
    assert keys - groups - in_table() == set(), "add them to nearest_names"


@pytest.mark.parametrize("place", ["label", "annotation"])
def test_every_key_is_in_the_place_where_the_source_reads_it(place: nearest_names.Place) -> None:
    """``meta.label(names.X)`` and ``meta.annotation(names.X)``."""
    source = "\n".join(path.read_text(encoding="utf-8") for path in sorted(WIRE.rglob("*.py")))
    found = set(re.findall(rf"\b{place}\(names\.(\w+)", source))
    assert len(found) > 4
    places = nearest_names.KEYS.values()
    listed = {key for kinds in places for key in kinds[place]}
    assert {getattr(names, name) for name in found} <= listed


def test_the_page_of_annotations_says_the_same() -> None:
    told: set[tuple[str, str, str]] = set()
    for title, kind in SECTIONS.items():
        section = PAGE.partition(f"{title}\n")[2].partition("\n## ")[0]
        for cell, places in re.findall(r"^\| ([^|]*) \| ([^|]*) \|", section, re.MULTILINE):
            for key in re.findall(r"`([a-zA-Z0-9.-]+/[a-z-]+)`", cell):
                whole = PREFIXES.get(key[:2], key[:2]) + key[2:]
                told |= {
                    (kind, place, whole) for place in ("label", "annotation") if place in places
                }
    listed = {
        (kind, place, key)
        for kind, places in nearest_names.KEYS.items()
        if kind != "namespace"
        for place, keys in places.items()
        for key in keys
    }
    published = {(kind, place, key) for kind, place, key in listed if key in nearest_names.FIGURES}
    assert told ^ (listed - published) == set()


def test_every_alias_stands_for_a_key() -> None:
    assert set(nearest_names.ALIASES.values()) <= in_table()
    tails = {key.rpartition("/")[2] for key in in_table()}
    assert nearest_names.ALIASES.keys() & (tails - {"quota", "quota-name"}) == set()
