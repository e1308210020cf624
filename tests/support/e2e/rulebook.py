"""The verdict of the API server's policies, and the quotas by which the rules give theirs."""

import re
from collections.abc import Callable
from typing import Final

import msgspec

from elasticquota.forest import acceptance
from elasticquota.forest.settings import SharingTerms
from elasticquota.forest.structure import Forest
from elasticquota.wire.quota import quotas
from installation import NAMESPACE
from users import Document, RefusedError, User


_CODE: Final = re.compile(r"\[((?:EQ|EP|PD)\d{4})\]")


def codes(attempt: Callable[[], object]) -> set[str]:
    """The codes for which the API server refuses the attempt, or its message without a code."""
    try:
        attempt()
    except RefusedError as refused:
        return set(_CODE.findall(refused.message)) or {refused.message}
    return set()


def forest(admin: User) -> Forest:
    """The stored quotas; the default root takes others by permission only."""
    stored = [quotas.read(quota(each)) for each in admin.list("ElasticQuota")]
    terms = SharingTerms(home=NAMESPACE, default_tree_takes=(NAMESPACE,))
    return acceptance.build(stored, terms)


def quota(document: Document) -> quotas.QuotaManifest:
    """The quota as the rules read it."""
    return msgspec.convert(document, quotas.QuotaManifest)
