"""Condition ``Translated`` of objects of other systems, from manifests of ACK's trees."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from elasticquota import names
from elasticquota.integrations import source_status
from elasticquota.integrations.ack import trees
from elasticquota.wire.codec.metadata import SpecManifest
from elasticquota.wire.integrations import ack_trees
from message_examples.example import Example


_TEAMS: Final = {"name": "company", "children": [{"name": "team-a"}, {"name": "team-b"}]}
_CUT: Final = {"name": "team-a", "min": {"cpu": 2}, "max": {"cpu": 1}}
_OF_POOL: Final = {names.TREE_PROFILE: "pools/gpu"}


def examples() -> Iterator[Example]:
    """Yield one for each reason."""
    yield _example("a tree that quotas follow", _tree(_TEAMS))
    yield _example(
        "a tree of which something is done differently",
        _tree({"name": "company", "children": [_CUT]}),
    )
    yield _example("the younger of two trees", _tree(_TEAMS), _tree(_TEAMS, name="younger"))
    yield _example("a tree whose quota another object is", _tree(_TEAMS), taken="company-team-a")
    yield _example("a tree without teams", _tree({"name": "company"}))
    yield _example("a tree of a profile that is not there", _tree(_TEAMS, annotations=_OF_POOL))


def _tree(root: Any, *, name: str = "tree", annotations: Any = None) -> Any:
    metadata = {"name": name, "namespace": "kube-system", "annotations": annotations or {}}
    return {"metadata": metadata, "spec": {"root": root}}


def _example(when: str, *manifests: Any, taken: str = "") -> Example:
    """What the last of the trees says."""
    read = [ack_trees.read(msgspec.convert(each, SpecManifest)) for each in manifests]
    made = trees.translate(read, "home", {})
    said = source_status.trees(read, made, filter(None, [taken]), {})[-1].condition
    return Example(f"{said.type} {said.status} {said.reason}", when, said.message)
