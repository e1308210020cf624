"""What the ledger keeps, and when it stops expecting."""

from typing import NoReturn

import pytest

import figures
from elasticquota import names
from elasticquota.forest.settings import SharingTerms
from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.ledger.inputs.objects import LedgerObjects
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.group import Group, GroupObject
from elasticquota.model.key import Key
from elasticquota.model.quota import KeyDifference
from elasticquota.model.refusal import Refusal
from elasticquota.model.unread import Unread
from elasticquota.structs import field_names, replace
from sentences import why
from worlds import World


USUAL = Accounting()


def test_an_expected_release_ends_when_the_pod_is_seen_ungated() -> None:
    world = World()
    (pod,) = world.pods("team-a", waiting=True)
    world.ledger.expect_release(pod.uid)
    world.ledger.upsert_pod(replace(pod, gates=()))
    assert world.ledger.releasing == set()


def test_an_expected_release_outlives_an_old_view_of_the_pod() -> None:
    world = World()
    (pod,) = world.pods("team-a", waiting=True)
    world.ledger.expect_release(pod.uid)
    world.ledger.upsert_pod(replace(pod, priority=1))
    assert world.ledger.releasing == {pod.uid}


def test_an_expected_eviction_ends_when_the_pod_is_seen_terminating() -> None:
    world = World()
    (pod,) = world.pods("team-a")
    world.ledger.expect_eviction(pod.uid)
    world.ledger.upsert_pod(replace(pod, deleting=True))
    assert world.ledger.evicting == set()


def test_an_expected_eviction_of_a_terminating_pod_outlives_more_news_of_it() -> None:
    """It was asked to end sooner; that it still ends says nothing about that."""
    world = World()
    (pod,) = world.pods("team-a")
    world.ledger.upsert_pod(replace(pod, deleting=True))
    world.ledger.expect_eviction(pod.uid)
    world.ledger.upsert_pod(replace(pod, deleting=True, priority=1))
    assert world.ledger.evicting == {pod.uid}


def test_nothing_is_expected_of_a_pod_that_is_gone() -> None:
    world = World()
    (waiting,) = world.pods("team-a", waiting=True)
    (running,) = world.pods("team-a")
    world.ledger.expect_release(waiting.uid)
    world.ledger.expect_eviction(running.uid)
    world.ledger.delete_pod(waiting.key)
    world.ledger.delete_pod(running.key)
    assert world.ledger.releasing == world.ledger.evicting == set()


def test_a_pod_that_was_created_again_under_its_name_is_another_pod() -> None:
    world = World()
    (pod,) = world.pods("team-a", waiting=True)
    world.ledger.expect_release(pod.uid)
    world.ledger.upsert_pod(replace(pod, uid="another"))
    assert world.ledger.releasing == set()


def test_nothing_is_expected_of_a_pod_that_was_never_seen() -> None:
    ledger = Ledger()
    ledger.expect_release("ghost")
    ledger.withhold("ghost")
    assert ledger.releasing == ledger.withheld == set()


def test_another_choice_of_what_counts_makes_other_books() -> None:
    world = World()
    world.pods("", 2, namespace="infra")
    world.ledger.update(USUAL)
    found = world.ledger.update(
        Accounting(terms=SharingTerms(system_namespaces=frozenset({"infra"})))
    )
    assert "koordinator-system-quota" in found.accounts


class Unreadable(dict[str, int]):
    """A request that cannot be read, as no reader makes it."""

    def items(self) -> NoReturn:
        raise RuntimeError("cannot be read")


def test_after_an_error_half_way_the_next_update_makes_new_books() -> None:
    world = World()
    world.quota("team-a")
    world.pods("team-a", 2)
    world.ledger.update(USUAL)
    last = world.pods("team-a", 3)[-1]
    world.quota("team-b")
    world.ledger.upsert_pod(replace(last, request=Unreadable()))
    with pytest.raises(RuntimeError):
        world.ledger.update(USUAL)
    world.ledger.upsert_pod(last)
    untroubled = World(nodes=0)
    untroubled.ledger.pods.update(world.ledger.pods)
    for kind in ("quotas", "profiles", "nodes"):
        getattr(untroubled.ledger, kind).clear()
        getattr(untroubled.ledger, kind).update(getattr(world.ledger, kind))
    found = world.ledger.update(USUAL)
    assert found.account("team-a").used["cpu"] == 5_000
    assert figures.of(found) == figures.of(untroubled.ledger.update(USUAL))


def test_a_refusal_is_forgotten_once_and_then_there_is_nothing_to_forget() -> None:
    world = World()
    (pod,) = world.pods("team-a")
    refusal = Refusal(pod.key, "team-a", "team-b", "ApiServer")
    world.ledger.withhold(pod.uid, refusal)
    assert world.ledger.refused == {pod.uid: refusal}
    for _ in range(2):
        world.ledger.forget_refusal(pod.uid)
        assert world.ledger.refused == {}
    assert world.ledger.withheld == {pod.uid}


def test_a_postponed_group_is_out_of_its_queue_until_it_is_resumed() -> None:
    world = World()
    world.quota("team-a", min=10)
    world.pods("team-a", 2, waiting=True, group=Group("train", 2))
    other = world.pods("team-a", 2, waiting=True, group=Group("other", 2))
    group = Key("teams", "train")
    world.decide()
    world.ledger.postpone_group(group, "no such machine; later")
    decisions = world.decide()
    assert [each.uid for each in decisions.releases] == [pod.uid for pod in other]
    assert {why(wait.message) for wait in decisions.waits} == {
        "ProvisioningRefused: no such machine; later."
    }
    assert {wait.place for wait in decisions.waits} == {0}
    world.ledger.resume_group(group)
    assert len(world.decide().releases) == 4


def test_a_group_that_has_started_is_not_postponed() -> None:
    world = World()
    world.quota("team-a", min=10)
    world.pods("team-a", 1, group=Group("train", 2))
    world.pods("team-a", 1, waiting=True, group=Group("train", 2))
    world.ledger.postpone_group(Key("teams", "train"), "later")
    assert len(world.decide().releases) == 1


def test_a_release_names_the_gang_with_which_the_pod_is_admitted() -> None:
    world = World()
    world.quota("team-a", min=10)
    world.pods("team-a", 2, waiting=True, group=Group("train", 2))
    world.pods("team-a", 1, waiting=True)
    assert {each.gang for each in world.decide().releases} == {Key("teams", "train"), None}


def test_a_quota_is_named_until_its_labels_say_what_its_fields_say() -> None:
    world = World()
    world.quota("team-a")
    key = Key("teams", "team-a")
    equal = world.ledger.quotas[key]
    said = replace(equal, differences=(KeyDifference("parent", names.PARENT, "a", "b"),))
    world.ledger.upsert_quota(said)
    assert world.decide().unequal == (key,)
    world.ledger.upsert_quota(equal)
    assert world.decide().unequal == ()
    world.ledger.upsert_quota(said)
    world.ledger.delete_quota(key)
    assert world.decide().unequal == ()


def test_a_trial_of_other_quotas_has_all_that_the_ledger_has_but_its_clocks() -> None:
    world = World()
    (waiting,) = world.pods("team-a", waiting=True)
    ledger = world.ledger
    ledger.upsert_group_object(GroupObject(Key("team-a", "volcano/train"), 2))
    ledger.follow_group_kind("volcano")
    ledger.note_unread(Unread("podgroups.volcano", ("v9",), ("v1",)))
    ledger.expect_release(waiting.uid)
    ledger.postpone_group(Key("team-a", "other"), "why")
    trial = ledger.with_quotas({})
    others = [each for each in field_names(LedgerObjects) if each != "changes"]
    assert [getattr(trial, each) for each in others] == [getattr(ledger, each) for each in others]
    trial.delete_pod(waiting.key)
    assert waiting.key in ledger.pods
