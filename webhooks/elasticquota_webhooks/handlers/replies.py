"""How a decision reads for the person who typed the command.

The API server wraps the message (`admission webhook "..." denied the request: ...`); kubectl shows
the causes instead when the reason is Invalid. So both are whole sentences. The code follows the
meaning: 422 the object is wrong, 403 nobody may do this, 409 not at this moment, 400 we cannot read
it, 503 we cannot judge yet, come again.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from elasticquota.model.key import Key
from elasticquota.validation import violation as violations
from elasticquota.validation.violation import Violation
from elasticquota.wire.kubernetes.review import Cause, Details, Operation, Request, Response, Status


RETRY_SECONDS: Final = 1
MOST_FAULTS: Final = 50
"""Of one document; whoever mends it wants to see them together."""
_ANSWERS: Final = {
    # The first kind that occurs decides: what nobody may do is not worth correcting.
    "forbidden": (403, "Forbidden", "FieldValueForbidden"),
    "conflict": (409, "Conflict", "FieldValueInvalid"),
    "invalid": (422, "Invalid", "FieldValueInvalid"),
}


def allow(
    request: Request, *, patch: Iterable[Operation] = (), warnings: Iterable[Violation] = ()
) -> Response:
    """Let it pass, perhaps changed, perhaps with a word."""
    return Response(
        request.uid,
        allowed=True,
        patch=list(patch),
        warnings=[warning.line for warning in warnings],
    )


def refuse(request: Request, kind: str, key: Key, found: Sequence[Violation]) -> Response:
    """Say everything that is wrong, up to five faults."""
    code, reason = next(
        (code, reason)
        for name, (code, reason, _) in _ANSWERS.items()
        if any(violation.kind == name for violation in found)
    )
    causes = [
        Cause(_ANSWERS[violation.kind][2], violation.sentence, violation.field)
        for violation in found[: violations.SHOWN]
    ]
    if len(found) > violations.SHOWN:
        causes.append(Cause("FieldValueInvalid", f"and {len(found) - violations.SHOWN} more"))
    status = Status(
        code,
        reason,
        violations.render(f"{kind} {key}", found),
        Details(key.name, request.resource.group, kind, causes),
    )
    return _denied(request, status, sorted({violation.code for violation in found}))


def refuse_document(request: Request, kind: str, key: Key, faults: Sequence[str]) -> Response:
    """Say all faults of a document in a field, each ``path: what is wrong``, up to fifty."""
    lines = [violations.printable(fault) for fault in faults[:MOST_FAULTS]]
    causes = []
    for line in lines:
        field, _, message = line.partition(": ")
        causes.append(Cause("FieldValueInvalid", message, field))
    if len(faults) > MOST_FAULTS:
        lines.append(f"and {len(faults) - MOST_FAULTS} more")
        causes.append(Cause("FieldValueInvalid", lines[-1]))
    status = Status(
        422,
        "Invalid",
        f"{kind} {key}: {'; '.join(lines)}",
        Details(key.name, request.resource.group, kind, causes),
    )
    return _denied(request, status, ["document"])


def unreadable(request: Request, sentence: str) -> Response:
    """The object is not of its kind; ``sentence`` says what is wrong where."""
    message = violations.printable(sentence)
    return _denied(request, Status(400, "BadRequest", message), ["unreadable"])


def not_ready(request: Request, why: str) -> Response:
    """Ask to come again: clients repeat by themselves what is answered like this."""
    message = violations.printable(f"not ready to judge this: {why}. Try again in a moment.")
    return _denied(
        request,
        Status(
            503,
            "ServiceUnavailable",
            message,
            Details(request.name, request.resource.group, retry_after_seconds=RETRY_SECONDS),
        ),
    )


def _denied(request: Request, status: Status, rules: Iterable[str] = ()) -> Response:
    return Response(request.uid, allowed=False, status=status, rules=list(rules))
