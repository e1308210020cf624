"""EQ1004: a namespace is bound by one quota."""

import changes
import forests
from elasticquota.validation import binding


FIELD = "metadata.annotations[quota.scheduling.koordinator.sh/namespaces]"


def test_a_namespace_of_another_quota_is_refused() -> None:
    assert changes.lines(binding.check, "a binds=x,y", "b binds=y,z") == [
        (
            f"{FIELD}: namespace 'y' is bound by quota 'a'. Leave it out, or remove it from 'a' "
            "first. [EQ1004]"
        )
    ]


def test_every_namespace_that_an_edit_adds_is_judged() -> None:
    assert len(changes.lines(binding.check, "a binds=x,y; b", "b binds=x,y")) == 2


def test_an_old_clash_blocks_no_other_edit() -> None:
    assert changes.lines(binding.check, "a binds=x; b binds=x", "b 5.. binds=x,z") == []


def test_free_namespaces_and_ones_own_may_be_bound() -> None:
    assert changes.lines(binding.check, "a binds=x", "a binds=x,y") == []
    assert changes.lines(binding.check, "a binds=x", "b binds=y") == []


def test_a_removal_binds_nothing() -> None:
    assert not [*binding.check(changes.removal("a binds=x", "a"), forests.forest("a binds=x"))]
