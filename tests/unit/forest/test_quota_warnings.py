"""The warnings of a quota that keeps its place."""

import pytest

import forests
from elasticquota.forest import quota_warnings
from elasticquota.forest.membership import Membership
from elasticquota.forest.settings import EVERYWHERE, SharingTerms, TreeSelection


WEIGHT = "metadata.annotations[quota.scheduling.koordinator.sh/shared-weight]"
LIST = "metadata.annotations[quota.scheduling.koordinator.sh/namespaces]: namespace"
UNNAMED = "must also be named in spec.max. Add it there, or leave it out of the weight. [EQ1003]"


def told(line: str, name: str = "a", chosen: SharingTerms | None = None) -> tuple[str, ...]:
    forest = forests.forest(line, chosen or SharingTerms())
    assert forest.accepted(name)
    members = Membership(forest)
    return quota_warnings.of(forest.quotas[name], members, forest.paused_at(name))


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("a ..4 w=2 w.gpu=1 w.fpga=1", f"{WEIGHT}.fpga: {UNNAMED}; {WEIGHT}.gpu: {UNNAMED}"),
        ("a doubt", "a label: must be 'true' or 'false'. [EQ1001]"),
        (
            "b binds=x; a binds=w,x",
            f"{LIST} 'x' is bound by quota 'b'. Leave it out, or remove it from 'b' first. "
            "[EQ1004]",
        ),
        (
            "x ns=x; a binds=x",
            f"{LIST} 'x' is bound by quota 'x', which has its name. Leave it out, or delete 'x' "
            "first. [EQ1004]",
        ),
        (
            "b binds=a; a ns=a",
            "metadata.name: namespace 'a' is bound by quota 'b'. Choose another name, or remove it "
            "from 'b' first. [EQ1004]",
        ),
        (
            "b binds=x,y; a binds=x,y",
            f"{LIST} 'x' is bound by quota 'b'. Leave it out, or remove it from 'b' first. [EQ1004]"
            f"; {LIST} 'y' is bound by quota 'b'. Leave it out, or remove it from 'b' first. "
            "[EQ1004]",
        ),
        (
            "p ..8; a<p ..4 gpu=..1",
            "spec.max.gpu: 'gpu' is not among the resources of parent 'p': device. Leave it out, "
            "or add it to spec.max of 'p' first. [EQ1103]",
        ),
    ],
)
def test_what_slipped_in_is_reported(line: str, sentence: str) -> None:
    assert told(line) == (sentence,)


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("a ..4 w=2", id="a weight within max"),
        pytest.param("a w=2", id="a weight without any max"),
        pytest.param("a binds=x; b binds=x", id="the older of two that bind a namespace"),
        pytest.param("a ns=a; b binds=a", id="the older of two, by its name"),
        pytest.param("a binds=kube-system", id="a namespace of the system"),
        pytest.param("p; a<p ..4", id="a parent without max"),
        pytest.param("p ..8 gpu=..4; a<p ..4", id="fewer resources than the parent"),
        pytest.param("p ..8 gpu=..4; a<p ..4 gpu=..1", id="the same resources as the parent"),
    ],
)
def test_there_is_nothing_to_tell(line: str) -> None:
    assert told(line) == ()


def test_other_resources_than_the_parents_are_reported_only_where_they_should_be_the_same() -> None:
    line = "blue root=blue parent; p<blue ..8; a<p gpu=..1"
    assert told(line, chosen=SharingTerms(keys_warned=TreeSelection(False, frozenset({"blue"}))))
    assert not told(line, chosen=SharingTerms(keys_warned=TreeSelection(True, frozenset({"blue"}))))
    assert told(line, chosen=SharingTerms(keys_warned=EVERYWHERE))
