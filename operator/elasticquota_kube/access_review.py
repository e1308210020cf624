"""Asks the API server what a user may do (SubjectAccessReview)."""

from collections.abc import Mapping
from typing import Any, Final

from elasticquota_kube.client.api import Api
from elasticquota_kube.client.paths import Resource


ACCESS_REVIEWS: Final = Resource("authorization.k8s.io", "v1", "subjectaccessreviews")


async def allowed(api: Api, user: Mapping[str, Any], **attributes: Mapping[str, str]) -> bool:
    """Whether ``user`` (username, uid, groups, extra) may do what the attributes say.

    ``attributes`` is one of ``resourceAttributes`` and ``nonResourceAttributes``. Raises
    ``ApiError``.
    """
    subject = {name: user[name] for name in ("uid", "groups", "extra") if user.get(name)}
    asked = {
        "apiVersion": ACCESS_REVIEWS.api_version,
        "kind": "SubjectAccessReview",
        "spec": {"user": user.get("username", ""), **subject, **attributes},
    }
    found = (await api.create(ACCESS_REVIEWS, None, asked)).get("status") or {}
    return found.get("allowed") is True
