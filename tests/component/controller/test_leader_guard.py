"""Only the leader writes."""

import pytest

from api_double import ApiDouble, refusals
from elasticquota_kube.client import paths
from elasticquota_kube.client.credentials.credentials import Credentials
from elasticquota_operator.leader_guard import LeaderOnlyApi, NotLeadingError


async def test_a_standby_reads_and_sends_no_write(double: ApiDouble) -> None:
    leading = False
    async with LeaderOnlyApi(Credentials(double.url), lambda: leading) as api:
        assert await api.list(paths.NAMESPACES)
        manifest = {"metadata": {"name": "new"}}
        with pytest.raises(NotLeadingError, match="not the leader, nothing was sent"):
            await api.create(paths.NAMESPACES, None, manifest)
        with pytest.raises(NotLeadingError):
            await api.patch(paths.NAMESPACES, None, "default", {"metadata": {}})
        with pytest.raises(NotLeadingError):
            await api.delete(paths.NAMESPACES, None, "default")
        assert {call.method for call in double.calls} == {"GET"}
        leading = True
        await api.create(paths.NAMESPACES, None, manifest)
        assert double.count("POST") == 1


async def test_a_write_is_not_repeated_once_another_may_lead(double: ApiDouble) -> None:
    """The server asks to wait for a second, and the Lease expires meanwhile."""
    answers = iter((True, True, False))
    async with LeaderOnlyApi(Credentials(double.url), lambda: next(answers)) as api:
        double.faults.answer(refusals.throttled(1), method="DELETE")
        with pytest.raises(NotLeadingError):
            await api.delete(paths.NAMESPACES, None, "default")
        assert double.count("DELETE") == 1


async def test_a_write_that_waited_for_its_connection_is_not_sent_once_another_may_lead(
    double: ApiDouble,
) -> None:
    answers = iter((True, False))
    async with LeaderOnlyApi(Credentials(double.url), lambda: next(answers)) as api:
        with pytest.raises(NotLeadingError):
            await api.delete(paths.NAMESPACES, None, "default")
        assert double.count("DELETE") == 0
