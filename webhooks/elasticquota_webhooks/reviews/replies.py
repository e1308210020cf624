"""Builds the answers, worded for the user who typed the command.

The API server wraps the message (`admission webhook "..." denied the request: ...`); kubectl shows
the causes instead when the reason is Invalid. So both are whole sentences. The codes: 422 the
object is wrong, 403 no user may do this, 409 not at this moment, 400 the review cannot be read, 503
the webhook cannot judge yet and the client should retry.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from elasticquota import texts
from elasticquota.forest import violation as violations
from elasticquota.forest.violation import Violation
from elasticquota.model.fault import Fault
from elasticquota.model.key import Key
from elasticquota.validation.severity import Findings
from elasticquota.wire.admission.review import (
    AdmissionRequest,
    Details,
    Operation,
    Response,
    ReviewCause,
    ReviewStatus,
)


RETRY_SECONDS: Final = 1
MOST_FAULTS: Final = 50
"""How many faults of a document one answer lists, so that a user can correct them together."""
_ANSWERS: Final = {
    # The first kind that occurs decides: a forbidden change is not worth correcting.
    "forbidden": (403, "Forbidden", "FieldValueForbidden"),
    "conflict": (409, "Conflict", "FieldValueInvalid"),
    "invalid": (422, "Invalid", "FieldValueInvalid"),
}


def allow(
    request: AdmissionRequest,
    *,
    patch: Iterable[Operation] = (),
    warnings: Iterable[Violation] = (),
    notes: Iterable[str] = (),
) -> Response:
    """Allow the request, with a patch and warnings where there are any.

    ``notes`` are warnings that no rule stands for, each one line.
    """
    lines = [warning.line for warning in warnings]
    return Response(
        request.uid,
        allowed=True,
        patch=list(patch),
        warnings=[*lines, *map(texts.printable, notes)],
    )


def judged(
    request: AdmissionRequest, kind: str, key: Key, findings: Findings, notes: Iterable[str] = ()
) -> Response:
    """Refuse with the violations that refuse, or else allow with the warnings."""
    if findings.refused:
        return refuse(request, kind, key, findings.refused)
    return allow(request, warnings=findings.warned, notes=notes)


def refuse(
    request: AdmissionRequest, kind: str, key: Key, refused: Sequence[Violation]
) -> Response:
    """Refuse with all violations found, of which at most five are written out."""
    code, reason = next(
        (code, reason)
        for name, (code, reason, _) in _ANSWERS.items()
        if any(violation.kind == name for violation in refused)
    )
    causes = [
        ReviewCause(_ANSWERS[violation.kind][2], violation.sentence, violation.field)
        for violation in refused[: violations.SHOWN]
    ]
    if len(refused) > violations.SHOWN:
        causes.append(
            ReviewCause("FieldValueInvalid", f"and {len(refused) - violations.SHOWN} more")
        )
    details = Details(key.name, request.resource.group, kind, causes)
    status = ReviewStatus(code, reason, violations.render(f"{kind} {key}", refused), details)
    return _denied(request, status, sorted({violation.code for violation in refused}))


def refuse_document(
    request: AdmissionRequest, kind: str, key: Key, faults: Sequence[Fault]
) -> Response:
    """Refuse a document in a field, with at most fifty faults."""
    listed = faults[:MOST_FAULTS]
    lines = [texts.printable(str(fault)) for fault in listed]
    causes = [
        ReviewCause(
            "FieldValueInvalid", texts.printable(fault.message), texts.printable(fault.path)
        )
        for fault in listed
    ]
    if len(faults) > MOST_FAULTS:
        lines.append(f"and {len(faults) - MOST_FAULTS} more")
        causes.append(ReviewCause("FieldValueInvalid", lines[-1]))
    details = Details(key.name, request.resource.group, kind, causes)
    status = ReviewStatus(422, "Invalid", f"{kind} {key}: {'; '.join(lines)}", details)
    return _denied(request, status, ["document"])


def forbid(request: AdmissionRequest, kind: str, key: Key, sentence: str) -> Response:
    """Refuse a request that is right in itself, but not allowed now, as a ResourceQuota does."""
    message = texts.printable(f"{kind} {key}: {sentence}")
    details = Details(key.name, request.resource.group, kind)
    return _denied(request, ReviewStatus(403, "Forbidden", message, details), ["admission"])


def unreadable(request: AdmissionRequest, sentence: str) -> Response:
    """Refuse an object that is not of its kind; ``sentence`` says where it is wrong."""
    message = texts.printable(sentence)
    return _denied(request, ReviewStatus(400, "BadRequest", message), ["unreadable"])


def not_ready(request: AdmissionRequest, why: str) -> Response:
    """Refuse for now; clients retry by themselves after this code and Retry-After."""
    message = texts.printable(f"not ready to judge this: {why}. Try again in a moment.")
    details = Details(request.name, request.resource.group, retry_after_seconds=RETRY_SECONDS)
    return _denied(request, ReviewStatus(503, "ServiceUnavailable", message, details))


def _denied(request: AdmissionRequest, status: ReviewStatus, rules: Iterable[str] = ()) -> Response:
    return Response(request.uid, allowed=False, status=status, rules=list(rules))
