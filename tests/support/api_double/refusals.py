"""The refusals of the API server, word for word as the real one writes them."""

from typing import Any

from elasticquota_kube.client.paths import Resource


class Refusal(Exception):  # noqa: N818 - an answer of the server, not an error of ours
    """An answer with an HTTP code of 400 or more; `pause` becomes Retry-After (seconds)."""

    def __init__(
        self,
        code: int,
        reason: str,
        message: str,
        *,
        causes: tuple[tuple[str, str], ...] = (),
        pause: int | None = None,
    ) -> None:
        super().__init__(code, reason, message)
        self.code = code
        self.reason = reason
        self.message = message
        self.causes = causes
        self.pause = pause

    @property
    def status(self) -> dict[str, Any]:
        """The ``Status`` object, as in response bodies and in watch events of type ERROR."""
        details: dict[str, Any] = {}
        if self.causes:
            details["causes"] = [{"reason": why, "message": text} for why, text in self.causes]
        if self.pause:
            details["retryAfterSeconds"] = self.pause
        return {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
            "reason": self.reason,
            "details": details,
            "code": self.code,
        }


def not_found(resource: Resource, name: str) -> Refusal:
    return Refusal(404, "NotFound", f'{_qualified(resource)} "{name}" not found')


def no_such_resource() -> Refusal:
    return Refusal(404, "NotFound", "the server could not find the requested resource")


def exists(resource: Resource, name: str) -> Refusal:
    return Refusal(409, "AlreadyExists", f'{_qualified(resource)} "{name}" already exists')


def stale(resource: Resource, name: str) -> Refusal:
    return Refusal(
        409,
        "Conflict",
        f'Operation cannot be fulfilled on {_qualified(resource)} "{name}": the object has been '
        "modified; please apply your changes to the latest version and try again",
    )


def other_uid(kind: str, name: str, wanted: str, found: str) -> Refusal:
    return Refusal(
        409,
        "Conflict",
        f'Operation cannot be fulfilled on {kind} "{name}": the UID in the precondition ({wanted}) '
        f"does not match the UID in record ({found}). The object might have been deleted and then "
        "recreated",
    )


def invalid(message: str) -> Refusal:
    return Refusal(422, "Invalid", message)


def bad_request(message: str) -> Refusal:
    return Refusal(400, "BadRequest", message)


def unauthorized() -> Refusal:
    return Refusal(401, "Unauthorized", "Unauthorized")


def expired(version: str = "") -> Refusal:
    return Refusal(410, "Expired", f"too old resource version: {version or 'unknown'}")


def throttled(pause: int = 1) -> Refusal:
    return Refusal(
        429,
        "TooManyRequests",
        "the server has received too many requests and has asked us to try again later",
        pause=pause,
    )


def blocked_by_budget(budget: str, pause: int | None = None) -> Refusal:
    return Refusal(
        429,
        "TooManyRequests",
        "Cannot evict pod as it would violate the pod's disruption budget.",
        causes=(
            (
                "DisruptionBudget",
                f"The disruption budget {budget} needs 1 healthy pods and has 1 currently",
            ),
        ),
        pause=pause,
    )


def two_budgets() -> Refusal:
    return Refusal(
        500,
        "",
        "This pod has more than one PodDisruptionBudget, which the eviction subresource does not "
        "support.",
    )


def too_large_to_store() -> Refusal:
    return Refusal(500, "", "etcdserver: request is too large")


def denied_by_webhook(code: int = 403) -> Refusal:
    """The code is what the webhook says."""
    return Refusal(code, "", 'admission webhook "other.example" denied the request: not today')


def failing_webhook() -> Refusal:
    return Refusal(
        500,
        "InternalError",
        'Internal error occurred: failed calling webhook "other.example": failed to call webhook: '
        'Post "https://other.team.svc:443/?timeout=10s": context deadline exceeded',
    )


def namespace_terminating(name: str, namespace: str) -> Refusal:
    return Refusal(
        403,
        "Forbidden",
        f'pods "{name}" is forbidden: unable to create new content in namespace {namespace} '
        "because it is being terminated",
        causes=(("NamespaceTerminating", f"namespace {namespace} is being terminated"),),
    )


def _qualified(resource: Resource) -> str:
    return f"{resource.plural}.{resource.group}" if resource.group else resource.plural
