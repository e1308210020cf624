"""Reviews are taken at ``/TOKEN/mutate/pod`` only, and only the API server is told the token.

The token stands where the API server reads it, in ``clientConfig.service.path`` of both webhook
configurations beside ``caBundle``, and nowhere else: tenants cannot read these, a second copy could
only differ. The first replica makes it; all others take over what stands there. A path that
somebody took out is written again, with the same token as long as one replica remembers it.
Raced: the mutating configuration decides. Who did not get its token in there writes none elsewhere.
"""

import hmac
import re
import secrets
from collections.abc import Iterator
from typing import Final

from elasticquota_kube.client.api import Document


ROUTES: Final = {
    "mutating": {
        "quota.elasticquota.dev": "/mutate/elasticquota",
        "tree.elasticquota.dev": "/mutate/elasticquota",
        "pod.elasticquota.dev": "/mutate/pod",
        "workload.elasticquota.dev": "/mutate/workload",
    },
    "validating": {
        "quota.elasticquota.dev": "/validate/elasticquota",
        "profile.elasticquota.dev": "/validate/profile",
        "queues.elasticquota.dev": "/validate/queues",
        "namespace.elasticquota.dev": "/validate/namespace",
        "relabel.elasticquota.dev": "/validate/pod",
        "resize.elasticquota.dev": "/validate/resize",
    },
}
"""By webhook of the chart, what is asked there."""
TOKEN: Final = re.compile(r"[a-z0-9]{32,64}")
"""The API server takes no other characters between the slashes of a path."""

_KNOWN: Final = {route for routes in ROUTES.values() for route in routes.values()}


class WebhookPaths:
    """The tokens that this replica answers to, a former one for ``linger`` seconds more."""

    def __init__(self, linger: float) -> None:
        self.token = ""
        """The one to publish."""
        self._linger = linger
        self._seen: dict[str, float] = {}
        """When each token stood in a configuration for the last time, or was made."""

    def observe(self, found: list[Document], now: float) -> None:
        """See what stands in both configurations, the mutating one first; ``now`` is monotonic."""
        standing = [token for _, _, token in _places(found) if token]
        self.token = next(iter(standing), self.token) or secrets.token_hex(32)
        for token in (*standing, self.token):
            self._seen[token] = now
        self._seen = {
            token: seen for token, seen in self._seen.items() if now - seen < self._linger
        }

    def wanted(self, found: list[Document], number: int) -> Iterator[tuple[int, str]]:
        """The webhooks of configuration ``number`` with another path: index, and path to write."""
        if number and any(token != self.token for of, _, token in _places(found) if of == 0):
            return
        for index, webhook in enumerate(found[number].get("webhooks") or ()):
            route = _route(webhook, number)
            path = f"/{self.token}{route}"
            if route and _path(webhook) != path:
                yield index, path

    def missing(self, found: list[Document]) -> bool:
        """Whether a webhook has no path that we answer to."""
        return not all(token in self._seen for _, _, token in _places(found))

    def route(self, path: bytes) -> bytes | None:
        """What is asked at ``path``, or None for somebody who does not know the token."""
        token, slash, route = path[1:].partition(b"/")
        known = [hmac.compare_digest(token, each.encode()) for each in self._seen]
        return slash + route if any(known) else None


def _places(found: list[Document]) -> Iterator[tuple[int, int, str]]:
    """Configuration, index and token (empty: none) of each webhook that is ours."""
    for number, configuration in enumerate(found):
        for index, webhook in enumerate(configuration.get("webhooks") or ()):
            if route := _route(webhook, number):
                token = _path(webhook).removesuffix(route).removeprefix("/")
                yield number, index, token if TOKEN.fullmatch(token) else ""


def _route(webhook: Document, number: int) -> str:
    """By its path, else by its name; empty for one that is not called by a Service, or unknown."""
    if "service" not in webhook["clientConfig"]:
        return ""
    path = _path(webhook)
    said = next((route for route in _KNOWN if path.endswith(route)), "")
    return said or (*ROUTES.values(),)[number].get(webhook.get("name", ""), "")


def _path(webhook: Document) -> str:
    path: str = webhook["clientConfig"].get("service", {}).get("path") or ""
    return path
