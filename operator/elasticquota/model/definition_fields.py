"""The fields that our definitions have; a test compares them with ``crds/``.

The API server drops every other field. So a definition of another version, or of another project,
lets only a part of what is written be seen.
"""

from collections.abc import Mapping
from typing import Final

from elasticquota import names


_WORDS: Final = {
    names.QUOTA_KIND: {
        "spec": """
            min max pools parent isParent lends namespaces weight access queue reclaim
            limits nodeSelector tree paused
        """,
        "status": """
            observedGeneration tree parent request used admitted runtime min pods
            summary history hours turnover metering waitEstimate conditions
        """,
    },
    names.PROFILE_KIND: {
        "spec": """
            enforcement guaranteeUsage capacity pools poolResources quotaName
            nodeSelector quotaLabels resourceRatio resourceKeys provisioning
        """,
        "status": """
            observedGeneration tree nodes capacity conditions
        """,
    },
}
FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    kind: tuple(f"{part}.{field}" for part, text in parts.items() for field in text.split())
    for kind, parts in _WORDS.items()
}
"""By kind."""


def of_spec(kind: str) -> frozenset[str]:
    """Return the names of the fields in the spec of a kind."""
    return frozenset(_WORDS[kind]["spec"].split())
