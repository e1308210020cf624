"""The controller says which policy or binding of the release is gone, or does less."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

import writer_fixture
from api_double import ApiDouble, Refusal
from api_double.kinds import Kind
from api_double.waiting import until
from elasticquota.wire.admission.admission_policies import (
    MUTATING,
    VALIDATING,
    InstalledPolicy,
)
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.credentials.credentials import Credentials
from elasticquota_operator.informers.policy_objects import PolicyObjects
from elasticquota_operator.pages.metrics import Telemetry


GATE = InstalledPolicy(VALIDATING, "eq-gate", "eq-gate", ("Deny",))
HOLDS = InstalledPolicy(MUTATING, "eq-gate", "eq-gate")
POLICY = f'elasticquota_policy_missing{{kind="{VALIDATING}",name="eq-gate"}}'
BINDING = f'elasticquota_policy_missing{{kind="{VALIDATING}Binding",name="eq-gate"}}'


Change = Callable[[ApiDouble], None]


@pytest.fixture
def cluster(double: ApiDouble) -> ApiDouble:
    """It has the validating policy, and does not know mutating policies."""
    for resource, kind in (
        (paths.VALIDATING_POLICIES, VALIDATING),
        (paths.VALIDATING_BINDINGS, f"{VALIDATING}Binding"),
    ):
        double.serve(Kind(resource, kind, namespaced=False))
    policy(double)
    binding(double)
    return double


def policy(double: ApiDouble) -> None:
    double.put(paths.VALIDATING_POLICIES, {"metadata": {"name": "eq-gate"}, "spec": {}})


def binding(double: ApiDouble, action: str = "Deny") -> None:
    spec = {"policyName": "eq-gate", "validationActions": [action]}
    double.put(paths.VALIDATING_BINDINGS, {"metadata": {"name": "eq-gate"}, "spec": spec})


class Watched:
    """The metrics of a controller that compares all the time."""

    def __init__(self) -> None:
        self.leads = True
        self.comparisons = 0
        self.telemetry = Telemetry(lambda: self.leads)

    def leading(self) -> bool:
        """Asked at the start of each comparison."""
        self.comparisons += 1
        return self.leads

    def value(self, series: str) -> float | None:
        for line in self.telemetry.exposition().decode().splitlines():
            if line.startswith(f"{series} "):
                return float(line.rpartition(" ")[2])
        return None


@asynccontextmanager
async def compares(double: ApiDouble, *made: InstalledPolicy) -> AsyncIterator[Watched]:
    watched = Watched()
    async with Api(Credentials(double.url)) as api:
        objects = PolicyObjects(
            api,
            made,
            leading=watched.leading,
            report=watched.telemetry.policy_is,
            every=0.01,
            wait=writer_fixture.short_back_off,
        )
        async with writer_fixture.at_work(objects):
            yield watched


def lose_policy(double: ApiDouble) -> None:
    double.remove(paths.VALIDATING_POLICIES, "", "eq-gate")


def lose_binding(double: ApiDouble) -> None:
    double.remove(paths.VALIDATING_BINDINGS, "", "eq-gate")


def only_warn(double: ApiDouble) -> None:
    binding(double, "Warn")


@pytest.mark.parametrize(
    ("harm", "mend", "broken", "whole"),
    [
        (lose_policy, policy, POLICY, BINDING),
        (lose_binding, binding, BINDING, POLICY),
        (only_warn, binding, BINDING, POLICY),
    ],
    ids=["a policy that is deleted", "a binding that is deleted", "a binding that only warns"],
)
async def test_what_does_not_do_what_the_release_made_it_for_is_1_until_it_does_again(
    cluster: ApiDouble, harm: Change, mend: Change, broken: str, whole: str
) -> None:
    async with compares(cluster, GATE) as seen:
        await until(lambda: seen.value(broken) == 0)
        harm(cluster)
        await until(lambda: seen.value(broken) == 1)
        assert seen.value(whole) == 0
        mend(cluster)
        await until(lambda: seen.value(broken) == 0)


async def test_what_the_release_did_not_make_is_not_missing(cluster: ApiDouble) -> None:
    """So it is with a rule that a value disables, and where the API server mutates no pods."""
    cluster.remove(paths.VALIDATING_BINDINGS, "", "eq-gate")
    async with compares(cluster) as seen:
        await until(lambda: seen.comparisons > 2)
        assert "elasticquota_policy_missing{" not in seen.telemetry.exposition().decode()
    assert cluster.count("GET", "policies/") == 0
    async with compares(cluster, GATE) as seen:
        await until(lambda: seen.value(BINDING) == 1)
    assert cluster.count("GET", "/mutatingadmissionpolicies") == 0


async def test_a_mutating_policy_of_the_release_that_the_server_does_not_serve_is_1(
    cluster: ApiDouble,
) -> None:
    async with compares(cluster, HOLDS) as seen:
        mutating = POLICY.replace(VALIDATING, MUTATING)
        await until(lambda: seen.value(mutating) == 1)


async def test_while_they_cannot_be_read_the_last_report_stays(cluster: ApiDouble) -> None:
    async with compares(cluster, GATE) as seen:
        await until(lambda: seen.value(BINDING) == 0)
        cluster.faults.answer(Refusal(403, "Forbidden", "no"), times=10_000, path="/eq-gate")
        asked = cluster.count("GET", "/validatingadmissionpolicies/eq-gate")
        await until(
            lambda: cluster.count("GET", "/validatingadmissionpolicies/eq-gate") > asked + 2
        )
        assert seen.value(BINDING) == seen.value(POLICY) == 0


async def test_a_standby_asks_for_nothing_until_it_leads(cluster: ApiDouble) -> None:
    async with compares(cluster, GATE) as seen:
        seen.leads = False
        await until(lambda: seen.comparisons > 2)
        assert cluster.count("GET", "/eq-gate") == 0
        seen.leads = True
        await until(lambda: seen.value(BINDING) == 0)
