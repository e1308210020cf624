"""An invalid value on a pod is named in the message about the pod."""

from elasticquota.structs import replace
from worlds import World


DOUBT = "elasticquota.dev/pod-group-size must be 1 to 99999, got 'many'"


def test_a_pod_that_is_admitted_says_what_was_ignored() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=8)
    world.pods("team-a", waiting=True, warnings=(DOUBT,))
    (release,) = world.decide().releases
    assert release.message.endswith(f". Ignored: {DOUBT}.")


def test_a_pod_that_waits_says_what_was_ignored() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=8)
    world.pods("team-a", cpu=9, waiting=True, warnings=(DOUBT,))
    (wait,) = world.decide().waits
    assert f". Ignored: {DOUBT}. More: " in wait.message


def test_a_pod_whose_label_names_no_quota_says_so() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team", min=8, namespace="team")
    (pod,) = world.pods("team", waiting=True, namespace="team")
    world.ledger.upsert_pod(replace(pod, quota_label="taem"))
    (release,) = world.decide().releases
    assert release.quota == "team"
    assert release.message.endswith(
        " Ignored: label quota.scheduling.koordinator.sh/name, because there is no quota 'taem' "
        "for pods."
    )


def test_a_pod_with_nothing_wrong_gets_no_message_more() -> None:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=8)
    world.pods("team-a", waiting=True)
    (release,) = world.decide().releases
    assert "Ignored" not in release.message
