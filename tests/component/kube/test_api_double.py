"""The double keeps the contract that the real API server keeps (checked in tests/e2e)."""

import pytest

import api_contract
from api_contract import Clause
from api_double import ApiDouble
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.credentials.credentials import Credentials


@pytest.mark.parametrize("clause", api_contract.CLAUSES, ids=lambda clause: clause.__name__)
async def test_the_double_keeps_the_contract(clause: Clause) -> None:
    async with ApiDouble() as double, Api(Credentials(double.url)) as api:
        namespace = api_contract.fresh_namespace()
        await api.create(paths.NAMESPACES, None, namespace)
        await clause(api, namespace["metadata"]["name"])
