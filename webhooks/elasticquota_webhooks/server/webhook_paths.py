"""Reviews are accepted only at ``/TOKEN/mutate/pod`` and the like; only the API server knows TOKEN.

The token is stored where the API server reads it, in ``clientConfig.service.path`` of both webhook
configurations beside ``caBundle``, and nowhere else: tenants cannot read these, and a second copy
could only differ. The first replica creates it; all others adopt what they find. A path that was
removed is written again, with the same token as long as one replica remembers it.
Races: the mutating configuration decides. A replica whose token is not in it writes none elsewhere.
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
        "profile.elasticquota.dev": "/mutate/profile",
        "pod.elasticquota.dev": "/mutate/pod",
        "job.elasticquota.dev": "/mutate/job",
        "workload.elasticquota.dev": "/mutate/workload",
    },
    "validating": {
        "quota.elasticquota.dev": "/validate/elasticquota",
        "profile.elasticquota.dev": "/validate/profile",
        "keys.elasticquota.dev": "/validate/keys",
        "dryrun.elasticquota.dev": "/validate/dry-run",
        "capacity.elasticquota.dev": "/validate/capacity",
        "acktree.elasticquota.dev": "/validate/tree",
        "queues.elasticquota.dev": "/validate/queues",
        "namespace.elasticquota.dev": "/validate/namespace",
        "relabel.elasticquota.dev": "/validate/pod",
        "resize.elasticquota.dev": "/validate/resize",
    },
}
"""The route of each webhook, by kind of configuration and name of the webhook in the chart."""
TOKEN: Final = re.compile(r"[a-z0-9]{32,64}")
"""The API server accepts no other characters between the slashes of a path."""

_KNOWN: Final = {route for routes in ROUTES.values() for route in routes.values()}


class WebhookPaths:
    """The tokens that this replica accepts; a former one for ``linger`` seconds more."""

    def __init__(self, linger: float) -> None:
        self.token = ""
        """The token to publish."""
        self._linger = linger
        self._seen: dict[str, float] = {}
        """When each token was last found in a configuration, or created."""

    def observe(self, found: list[Document], now: float) -> None:
        """Record the tokens in both configurations, mutating first; ``now`` is monotonic."""
        standing = [token for _, _, token in _places(found) if token]
        self.token = next(iter(standing), self.token) or secrets.token_hex(32)
        for token in (*standing, self.token):
            self._seen[token] = now
        self._seen = {
            token: seen for token, seen in self._seen.items() if now - seen < self._linger
        }

    def wanted(self, found: list[Document], number: int) -> Iterator[tuple[int, str]]:
        """The webhooks of configuration ``number`` whose path must change: index and new path."""
        if number and any(token != self.token for of, _, token in _places(found) if of == 0):
            return
        for index, webhook in enumerate(found[number].get("webhooks") or ()):
            route = _route(webhook, number)
            path = f"/{self.token}{route}"
            if route and _path(webhook) != path:
                yield index, path

    def missing(self, found: list[Document]) -> bool:
        """Whether a webhook has no path that we accept."""
        return not all(token in self._seen for _, _, token in _places(found))

    def route(self, path: bytes) -> bytes | None:
        """The route in ``path``, or None when its token is not known."""
        token, slash, route = path[1:].partition(b"/")
        known = [hmac.compare_digest(token, each.encode()) for each in self._seen]
        return slash + route if any(known) else None


def _places(found: list[Document]) -> Iterator[tuple[int, int, str]]:
    """Configuration, index and token (empty: none) of each of our webhooks."""
    for number, configuration in enumerate(found):
        for index, webhook in enumerate(configuration.get("webhooks") or ()):
            if route := _route(webhook, number):
                token = _path(webhook).removesuffix(route).removeprefix("/")
                yield number, index, token if TOKEN.fullmatch(token) else ""


def _route(webhook: Document, number: int) -> str:
    """The route by its path, else by its name; empty for an unknown webhook or one with a URL."""
    if "service" not in webhook["clientConfig"]:
        return ""
    path = _path(webhook)
    said = next((route for route in _KNOWN if path.endswith(route)), "")
    return said or (*ROUTES.values(),)[number].get(webhook.get("name", ""), "")


def _path(webhook: Document) -> str:
    path: str = webhook["clientConfig"].get("service", {}).get("path") or ""
    return path
