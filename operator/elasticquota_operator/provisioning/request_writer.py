"""Creates and deletes ProvisioningRequests and their PodTemplates.

The templates come first, because an autoscaler may read them as soon as it sees the request. A
process that dies in between leaves templates without a request: they belong to the workload, and
the next attempt by the same name uses them.
"""

from collections.abc import Callable
from typing import Any, Final

import structlog

from elasticquota.model.key import Key
from elasticquota.model.selector import Selector
from elasticquota.provisioning import manifests, pod_sets
from elasticquota.provisioning.manifests import Asking
from elasticquota.provisioning.pod_sets import EqualPods
from elasticquota.structs import Struct
from elasticquota_kube.client import retry
from elasticquota_kube.client.paths import POD_TEMPLATES, PODS, PROVISIONING_REQUESTS
from elasticquota_kube.client.rest import errors
from elasticquota_kube.client.rest.errors import ApiError
from elasticquota_operator.context.controller_context import ControllerContext
from elasticquota_operator.context.manifest_store import Manifest
from elasticquota_operator.provisioning.requests import Requests
from elasticquota_operator.workqueue.workers import ItemRefused, Workers


ASKING: Final = 8
"""Workloads for which is asked at one time."""

log = structlog.get_logger(__name__)


class Ask(Struct, frozen=True):
    """One attempt to ask."""

    asking: Asking
    attempt: int
    sets: tuple[EqualPods, ...]
    nodes: Selector

    @property
    def key(self) -> Key:
        """The key of the request."""
        return Key(self.asking.namespace, self.asking.name(self.attempt))


class RequestWriter:
    """``ask()`` and ``delete()`` at any time; ``asks.run()`` and ``deletions.run()`` as tasks."""

    def __init__(
        self,
        context: ControllerContext,
        requests: Requests,
        failed: Callable[[Key, ApiError], None],
        taken: Callable[[Key], None],
        *,
        wait: retry.Backoff = retry.jittered,
    ) -> None:
        """``failed`` gets requests that the API server refuses; ``taken`` names of other users."""
        self._api = context.api
        self._requests = requests
        self._failed = failed
        self._taken = taken
        self.asks: Workers[Key, Ask] = Workers(
            "provisioning requests",
            self._ask,
            at_once=ASKING,
            wait=wait,
            on_ready=lambda _key: context.touch(),
        )
        self.deletions: Workers[Key, Manifest] = Workers(
            "provisioning requests to delete", self._delete, wait=wait
        )

    def ask(self, ask: Ask) -> None:
        """Create the objects of an attempt, unless that is under way."""
        if ask.key not in self.asks:
            self.asks.put(ask.key, ask)

    def is_deleting(self, key: Key) -> bool:
        """Whether a request is being deleted, with its templates."""
        return key in self.deletions

    def delete(self, stored: Manifest) -> None:
        """Delete a request and its templates, unless that is under way."""
        key = Key(stored["metadata"]["namespace"], stored["metadata"]["name"])
        if key not in self.deletions:
            self.deletions.put(key, stored)

    async def _ask(self, ask: Ask) -> None:
        try:
            if not await self._create_templates(ask):
                self._taken(ask.key)
                return
            await self._create_request(ask)
        except ApiError as error:
            if error.is_transient:
                raise
            self._failed(ask.key, error)

    async def _create_templates(self, ask: Ask) -> bool:
        """Return whether all templates are there and belong to the workload.

        What is not found is a pod, a template or the namespace that was deleted meanwhile, which
        says nothing about the kind of the request: the next cycle decides by what is left.
        """
        try:
            for place, each in enumerate(ask.sets):
                if not await self._create_template(ask, place, each):
                    return False
        except ApiError as error:
            if not error.is_not_found:
                raise
            raise ItemRefused(error.message) from error
        return True

    async def _create_request(self, ask: Ask) -> None:
        namespace = ask.asking.namespace
        body = manifests.request(ask.asking, ask.attempt)
        try:
            made = await self._api.create(PROVISIONING_REQUESTS, namespace, body)
        except ApiError as error:
            if error.is_conflict:  # The watch will show whose it is.
                raise ItemRefused(error.message) from error
            raise
        log.info("asks for nodes", request=str(ask.key), workload=ask.asking.subject)
        self._requests.store.upsert(made)

    async def _create_template(self, ask: Ask, place: int, each: EqualPods) -> bool:
        """Return whether the template is there and belongs to the workload."""
        body = manifests.pod_template(
            ask.asking, ask.attempt, place, await self._template(each, ask.nodes)
        )
        try:
            await self._put_template(ask, body)
        except ApiError as error:
            if error.is_conflict:
                name = body["metadata"]["name"]
                stored = await self._api.get(POD_TEMPLATES, ask.asking.namespace, name)
                return manifests.is_owned(stored, (owner.uid for owner in ask.asking.owners))
            if not error.is_invalid:
                raise
            bare = pod_sets.bare_template(each.request, ask.nodes)
            await self._put_template(ask, {**body, "template": bare})
        return True

    async def _put_template(self, ask: Ask, body: dict[str, Any]) -> None:
        await self._api.create(POD_TEMPLATES, ask.asking.namespace, body)

    async def _template(self, each: EqualPods, nodes: Selector) -> dict[str, Any]:
        if each.pod is not None:
            pod = await self._api.get(PODS, each.pod.namespace, each.pod.name)
            return pod_sets.template_of(pod, nodes)
        if each.template is not None:
            return pod_sets.template_of(each.template, nodes)
        return pod_sets.bare_template(each.request, nodes)

    async def _delete(self, stored: Manifest) -> None:
        metadata = stored["metadata"]
        namespace, name = metadata["namespace"], metadata["name"]
        try:
            with errors.ignore_not_found():
                await self._api.delete(
                    PROVISIONING_REQUESTS, namespace, name, uid=metadata.get("uid")
                )
            for template in manifests.templates(stored):
                await self._delete_template(namespace, template, manifests.owners(stored))
        except ApiError as error:
            if error.is_transient:
                raise
            log.info("request not deleted", request=f"{namespace}/{name}", why=str(error))

    async def _delete_template(self, namespace: str, name: str, owners: list[str]) -> None:
        """Delete a template of the same owners; any other is a user's."""
        with errors.ignore_not_found():
            found = await self._api.get(POD_TEMPLATES, namespace, name)
            if manifests.subject(found) is not None and manifests.is_owned(found, owners):
                uid = found["metadata"]["uid"]
                await self._api.delete(POD_TEMPLATES, namespace, name, uid=uid)
