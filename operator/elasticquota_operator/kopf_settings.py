"""Kopf's settings: it reads, calls handlers, and writes nothing."""

import logging
from typing import cast

import kopf


def choose(settings: kopf.OperatorSettings) -> None:
    """Set what this operator needs, and reduce Kopf's log."""
    settings.peering.standalone = True  # the Lease elects the leader
    settings.posting.enabled = False
    settings.scanning.disabled = True  # both kinds are known, and watching CRDs would need rights
    settings.watching.server_timeout = 300
    settings.watching.connect_timeout = 10
    settings.watching.chunk_size = 500
    settings.watching.reconnect_backoff = 1
    settings.networking.request_timeout = 30
    settings.networking.connect_timeout = 10
    settings.networking.error_backoffs = (1, 2, 3, 5, 8)
    settings.networking.enforce_retry_after = True
    settings.persistence.diffbase_storage = _NoComparison()
    settings.persistence.finalizer = "elasticquota.dev/unused"
    logging.getLogger("kopf").setLevel(logging.WARNING)
    logging.getLogger("kopf.objects").addFilter(_without_settings)


class _NoComparison(kopf.DiffBaseStorage):
    """Without it Kopf copies each object to find out what changed, for handlers that ask for it."""

    def build(self, **_: object) -> kopf.BodyEssence:
        return cast("kopf.BodyEssence", {})

    def fetch(self, **_: object) -> kopf.BodyEssence | None:
        return None

    def store(self, **_: object) -> None:
        """Store nothing on users' objects."""


def _without_settings(record: logging.LogRecord) -> bool:
    """Every record about an object carries all settings."""
    record.__dict__.pop("settings", None)
    return True
