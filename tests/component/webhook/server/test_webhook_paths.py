"""Only the API server knows the path for reviews; the token is in the webhook configurations."""

import asyncio
from datetime import timedelta

import pytest

import certificate_managers as managers
from api_double import ApiDouble, Refusal
from certificate_managers import LINGER, ManualClock, Replica
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api, ApiError


def tokens(double: ApiDouble) -> set[str]:
    return {path.split("/")[1] if path else "" for path in managers.called(double)}


def answered(replica: Replica, path: str) -> bool:
    return replica.paths.route(path.encode()) is not None


async def test_the_first_replica_creates_a_token_and_publishes_a_path_for_each_webhook(
    replica: Replica, double: ApiDouble
) -> None:
    await replica.manager.reconcile()
    (token,) = tokens(double)
    assert len(token) == 64, "256 bits"
    routes = ("/mutate/elasticquota", "/mutate/pod", "/validate/elasticquota")
    assert managers.called(double) == [f"/{token}{route}" for route in routes]
    assert replica.paths.route(managers.called(double)[1].encode()) == b"/mutate/pod"
    assert replica.manager.missing() == ""


@pytest.mark.parametrize("path", ["/mutate/pod", "//mutate/pod", "/guess/mutate/pod", "/", ""])
async def test_other_paths_are_not_answered(replica: Replica, path: str) -> None:
    await replica.manager.reconcile()
    assert not answered(replica, path)


async def test_replicas_that_start_together_answer_to_one_token(
    replica: Replica, api: Api, double: ApiDouble, clock: ManualClock
) -> None:
    others = [Replica(api, clock) for _ in range(4)]
    await asyncio.gather(*(each.manager.reconcile() for each in (replica, *others)))
    assert len(tokens(double) - {""}) == 1, "never two, not even for a moment"
    for each in (replica, *others):
        await each.manager.reconcile()
        assert all(answered(each, path) for path in managers.called(double))


async def test_a_restarted_replica_adopts_the_published_token(
    replica: Replica, api: Api, double: ApiDouble, clock: ManualClock
) -> None:
    await replica.manager.reconcile()
    before = managers.called(double)
    restarted = Replica(api, clock)
    await restarted.manager.reconcile()
    assert managers.called(double) == before
    assert answered(restarted, before[0])


async def test_another_replica_completes_a_half_published_token(
    replica: Replica, api: Api, double: ApiDouble, clock: ManualClock
) -> None:
    double.faults.answer(Refusal(500, "InternalError", "no"), times=1, method="PATCH", path="valid")
    with pytest.raises(ApiError):
        await replica.manager.reconcile()
    assert "" in tokens(double)
    (token,) = tokens(double) - {""}
    await Replica(api, clock).manager.reconcile()
    assert tokens(double) == {token}


async def test_a_removed_path_is_restored_with_the_same_token(
    replica: Replica, double: ApiDouble
) -> None:
    await replica.manager.reconcile()
    before = managers.called(double)
    managers.configure(double)
    await replica.manager.reconcile()
    assert managers.called(double) == before


@pytest.mark.parametrize("weak", ["", "/mutate/pod", "/short/mutate/pod"])
async def test_a_guessable_path_is_replaced_and_never_answered(
    replica: Replica, double: ApiDouble, weak: str
) -> None:
    managers.call(double, weak)
    await replica.manager.reconcile()
    assert all(len(token) == 64 for token in tokens(double))
    assert not answered(replica, weak)
    assert replica.manager.missing() == ""


async def test_a_former_token_is_answered_while_api_servers_learn_of_the_next(
    replica: Replica, double: ApiDouble, clock: ManualClock
) -> None:
    await replica.manager.reconcile()
    former = managers.called(double)[0]
    managers.call(double, f"/{'n' * 40}/mutate/pod")
    await replica.manager.reconcile()
    assert tokens(double) == {"n" * 40}
    clock.wait(LINGER - timedelta(seconds=1))
    await replica.manager.reconcile()
    assert answered(replica, former)
    clock.wait(timedelta(seconds=2))
    await replica.manager.reconcile()
    assert not answered(replica, former)
    assert answered(replica, f"/{'n' * 40}/mutate/pod")


async def test_a_token_of_the_chart_is_answered_and_nothing_is_written(
    api: Api, double: ApiDouble, clock: ManualClock
) -> None:
    managers.configure(double)
    replica = Replica(api, clock, publishes_path=False)
    await replica.manager.reconcile()
    assert "no path with a token" in replica.manager.missing()
    managers.call(double, f"/{'c' * 32}/mutate/pod")
    await replica.manager.reconcile()
    assert replica.manager.missing() == ""
    assert answered(replica, f"/{'c' * 32}/mutate/pod")
    patched = [call for call in double.calls if call.method == "PATCH"]
    assert not [call for call in patched if "service/path" in str(call.body)]


async def test_a_webhook_of_another_release_is_left_alone(
    replica: Replica, double: ApiDouble
) -> None:
    def rename(configuration: dict[str, list[dict[str, str]]]) -> None:
        configuration["webhooks"][0]["name"] = "later.elasticquota.dev"

    double.edit(paths.VALIDATING_WEBHOOKS, "", managers.NAME, rename)
    await replica.manager.reconcile()
    assert managers.called(double)[2] == ""
    assert replica.manager.missing() == ""
