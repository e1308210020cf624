"""EP1203: what keeps a profile from being deleted."""

import forests
from elasticquota.forest import acceptance, settings
from elasticquota.model.key import Key
from elasticquota.model.profile import Profile
from elasticquota.structs import replace
from elasticquota.validation import profile_removal


TREE = "pool root=7 of=gpu ns=home; team<pool ns=teams"


def lines(before: str, name: str = "gpu", *, namespace_leaves: bool = False) -> list[str]:
    profile = Profile(Key("home", name), uid="", created="", quota_name="pool")
    found = profile_removal.check(
        profile, forests.forest(before), namespace_leaves=namespace_leaves
    )
    return [violation.line for violation in found]


def test_quotas_in_its_tree_hold_it() -> None:
    assert lines(TREE) == [
        "must not be deleted while there are quotas in its tree: team. Delete them first, or give "
        "them a parent in another tree; for a file that has them all, repeat the command. [EP1203]"
    ]


def test_quotas_that_wait_for_its_root_hold_it_too() -> None:
    assert len(lines("team<pool ns=teams")) == 1


def test_a_profile_of_an_empty_tree_goes() -> None:
    assert lines("pool root=7 of=gpu ns=home") == []
    assert lines("other") == []


def test_one_that_never_got_its_root_goes() -> None:
    assert lines(TREE, "another") == []
    assert lines("pool root=7 of=gpu ns=elsewhere; team<pool") == []


def test_what_goes_with_the_namespace_does_not_hold() -> None:
    assert lines("pool root=7 of=gpu ns=home; a<pool ns=home", namespace_leaves=True) == []
    assert len(lines(TREE, namespace_leaves=True)) == 1


def test_quotas_that_follow_another_system_do_not_hold() -> None:
    """The controller takes them away without the profile, and makes them again with it."""
    root, team = forests.quotas(TREE)
    followed = acceptance.build([root, replace(team, kept_for="ack")], settings.USUAL)
    profile = Profile(Key("home", "gpu"), uid="", created="", quota_name="pool")
    assert list(profile_removal.check(profile, followed, namespace_leaves=False)) == []
