"""Only the leader writes."""

import pytest

from api_double import ApiDouble
from elasticquota_kube import paths
from elasticquota_kube.credentials import Credentials
from elasticquota_operator.fence import FencedApi, NotLeadingError


async def test_a_standby_reads_and_sends_no_write() -> None:
    leading = False
    async with (
        ApiDouble() as double,
        FencedApi(Credentials(double.url), lambda: leading) as api,
    ):
        assert await api.list(paths.NAMESPACES)
        manifest = {"metadata": {"name": "team"}}
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
