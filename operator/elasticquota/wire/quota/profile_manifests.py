"""Profile -> ElasticQuotaProfile manifest, for a profile that is translated from another system.

It selects every node; ``profiles.read`` makes the same profile from it.
"""

from collections.abc import Mapping
from typing import Any

from elasticquota import names
from elasticquota.derived import pools_text
from elasticquota.model.profile import Profile


def manifest(profile: Profile, annotations: Mapping[str, str]) -> dict[str, Any]:
    """Return the object to create; ``annotations`` are those of its metadata."""
    return {
        "apiVersion": names.PROFILE_API,
        "kind": names.PROFILE_KIND,
        "metadata": {
            "name": profile.key.name,
            "namespace": profile.key.namespace,
            "annotations": dict(annotations),
        },
        "spec": {
            "quotaName": profile.quota_name,
            "nodeSelector": {},
            **pools_text.fields(profile.pools),
        },
    }
