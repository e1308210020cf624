"""The versions in which a kind is served are those of the discovery documents."""

from collections.abc import AsyncIterator

import pytest

from api_double import ApiDouble, Refusal
from api_double.kinds import Kind
from elasticquota_kube.client import discovery
from elasticquota_kube.client.api import Api, ApiError
from elasticquota_kube.client.credentials.credentials import Credentials
from elasticquota_kube.client.paths import Resource


GROUP = "scheduling.k8s.io"


@pytest.fixture
async def double() -> AsyncIterator[ApiDouble]:
    """A server as 1.37: the preferred version of the group has no pod groups."""
    async with ApiDouble() as double:
        for version in ("v1alpha3", "v1beta1"):
            double.serve(Kind(Resource(GROUP, version, "podgroups"), "PodGroup"))
        yield double


async def test_versions_without_the_kind_are_left_out(double: ApiDouble) -> None:
    async with Api(Credentials(double.url)) as api:
        assert await discovery.versions(api, GROUP, "podgroups") == ("v1alpha3", "v1beta1")
        assert await discovery.versions(api, GROUP, "priorityclasses") == ("v1",)
        assert await discovery.versions(api, GROUP, "compositepodgroups") == ()


async def test_of_an_unknown_group_there_is_no_version(double: ApiDouble) -> None:
    async with Api(Credentials(double.url)) as api:
        assert await discovery.versions(api, "example.com", "podgroups") == ()


async def test_what_cannot_be_read_is_an_error_and_no_absence(double: ApiDouble) -> None:
    double.faults.answer(Refusal(403, "Forbidden", "no"), times=1, path=f"/apis/{GROUP}")
    async with Api(Credentials(double.url)) as api:
        with pytest.raises(ApiError, match="Forbidden"):
            await discovery.versions(api, GROUP, "podgroups")


async def test_versions_that_are_served_instead_count_only_where_none_of_ours_is(
    double: ApiDouble,
) -> None:
    async with Api(Credentials(double.url)) as api:
        served = ("v1alpha3", "v1beta1")
        assert await discovery.instead(api, GROUP, "podgroups", {"v1"}) == served
        assert await discovery.instead(api, GROUP, "podgroups", {"v1", "v1beta1"}) == ()
        assert await discovery.instead(api, GROUP, "compositepodgroups", {"v1"}) == ()
