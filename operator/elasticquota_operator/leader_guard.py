"""Only the leader writes: each write checks leadership before and after it has a connection.

When the elector could not renew (a paused process, a lost network), its deadline has passed and the
write is not sent. One that was handed to the system just before can still arrive after it. It is
harmless: every write is conditional (gate test, uid) or makes the state that the next leader would
make.
"""

from collections.abc import Callable
from typing import Any

from elasticquota_kube.client.api import Api
from elasticquota_kube.client.credentials.credentials import Credentials
from elasticquota_kube.client.rest.errors import ApiError
from elasticquota_kube.client.rest.session import SessionRequest


class NotLeadingError(ApiError):
    """The write was not sent, because another process may be the leader."""

    def __init__(self) -> None:
        super().__init__(0, "NotLeading", "not the leader, nothing was sent")


class LeaderOnlyApi(Api):
    """An `Api` that always reads, and writes only while ``leading()``."""

    def __init__(
        self, credentials: Credentials, leading: Callable[[], bool], **options: Any
    ) -> None:
        super().__init__(credentials, before_send=self._check, **options)
        self._leading = leading

    async def _attempt(self, request: SessionRequest, deadline: float) -> bytes:
        # Also before it is repeated: the server may have asked us to come back in some seconds.
        self._check(request.method)
        return await super()._attempt(request, deadline)

    def _check(self, method: str) -> None:
        if method != "GET" and not self._leading():
            raise NotLeadingError
