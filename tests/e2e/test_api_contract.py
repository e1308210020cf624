"""The real API server keeps the contract on which the component tests rely."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Protocol

import pytest

import api_contract
import served
from api_contract import Clause
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api, ApiError
from elasticquota_kube.client.credentials import credentials
from elasticquota_kube.client.credentials.login import Login


pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("product")]

SERVICE_ACCOUNTS = paths.Resource("", "v1", "serviceaccounts")


class Cluster(Protocol):
    kubeconfig: Path


@pytest.fixture
async def api(cluster: Cluster) -> AsyncIterator[Api]:
    async with Api(credentials.load(Login(cluster.kubeconfig))) as connection:
        yield connection


@pytest.fixture
async def namespace(api: Api) -> AsyncIterator[str]:
    manifest = api_contract.fresh_namespace()
    name: str = manifest["metadata"]["name"]
    await api.create(paths.NAMESPACES, None, manifest)
    await _until_pods_can_be_created(api, name)
    yield name
    await api.delete(paths.NAMESPACES, None, name)


async def _until_pods_can_be_created(api: Api, namespace: str) -> None:
    async with asyncio.timeout(20):
        while True:
            try:
                await api.get(SERVICE_ACCOUNTS, namespace, "default")
            except ApiError as error:
                if not error.is_not_found:
                    raise
            else:
                return
            await asyncio.sleep(0.05)


WATCH_LIST = api_contract.a_watch_list_ends_its_initial_events_with_a_bookmark
CLAUSES = [
    pytest.param(each, id=each.__name__, marks=served.since(34 if each is WATCH_LIST else 30))
    for each in api_contract.CLAUSES
]


@pytest.mark.parametrize("clause", CLAUSES)
async def test_the_real_server_keeps_the_contract(clause: Clause, api: Api, namespace: str) -> None:
    await clause(api, namespace)
