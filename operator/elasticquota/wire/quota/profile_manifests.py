"""Profile -> ElasticQuotaProfile manifest, for a profile that is translated from another system.

It selects every node; ``profiles.read`` makes the same profile from it.
"""

from collections.abc import Mapping
from typing import Any

from elasticquota import names
from elasticquota.derived import pools_text
from elasticquota.model.profile import Profile
from elasticquota.wire.codec import metadata


def manifest(profile: Profile, annotations: Mapping[str, str]) -> dict[str, Any]:
    """Return the object to create; ``annotations`` are those of its metadata."""
    pools = pools_text.fields(profile.pools)
    spec = {"quotaName": profile.quota_name, "nodeSelector": {}, **pools}
    api, kind = names.PROFILE_API, names.PROFILE_KIND
    return metadata.document(api, kind, profile.key, spec, annotations=dict(annotations))
