"""Reads live names for completion: of objects, and of the entries of kubeconfig files."""

import argparse
import contextlib
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from elasticquota import names
from elasticquota_cli.arguments import options
from elasticquota_cli.live import listing
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.credentials import credentials, kubeconfig
from elasticquota_kube.client.credentials.login import Login
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.client.rest.errors import ApiError


_SECONDS: Final = 2.0
"""For a list: a shell waits no longer."""
_RESOURCES: Final = {
    "namespace": paths.NAMESPACES,
    "quota": paths.QUOTAS,
    "tree": paths.QUOTAS,
    "profile": paths.PROFILES,
    "pod": paths.PODS,
    "job": Resource("batch", "v1", "jobs"),
    "deployment": paths.DEPLOYMENTS,
    "statefulset": Resource("apps", "v1", "statefulsets"),
    "replicaset": Resource("apps", "v1", "replicasets"),
    "daemonset": Resource("apps", "v1", "daemonsets"),
    "cronjob": Resource("batch", "v1", "cronjobs"),
}
_OF_ROOTS: Final = {"labelSelector": f"{names.IS_ROOT}=true"}
_EVERYWHERE: Final = ("namespace", "quota", "tree")
"""Kinds whose names mean the same in all namespaces."""


def login(given: Mapping[str, Any]) -> Login:
    """The login of a line that is not finished, from the flags that it has."""
    return options.login(argparse.Namespace(**given))


def of_kubeconfig(what: str, chosen: Login) -> list[str]:
    """The names of contexts, clusters or users."""
    with contextlib.suppress(Exception):
        return [*getattr(kubeconfig.read(credentials.files(chosen)), f"{what}s")]
    return []


def of_kind(kind: str, chosen: Login) -> list[str]:
    """The names of the objects of a kind: in all namespaces, or in that of the login."""
    with contextlib.suppress(Exception):
        cluster = listing.Cluster(chosen)
        usual = cluster.namespace
        if kind in _EVERYWHERE and not chosen.namespace:
            with contextlib.suppress(ApiError):
                return cluster.run(partial(_listed, kind, None))
        return cluster.run(partial(_listed, kind, usual))
    return []


async def _listed(kind: str, namespace: str | None, api: Api) -> list[str]:
    found: list[str] = []
    where = None if kind == "namespace" else namespace
    params = _OF_ROOTS if kind == "tree" else {}
    quick = api.within(_SECONDS)
    async for page in quick.pages(_RESOURCES[kind], where, params=params, metadata_only=True):
        found += [listing.name_of(raw) for raw in page.items or ()]
    return found
