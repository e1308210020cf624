"""A profile that could not have its tree is refused, by the schema or by the webhook."""

import json

import pytest

import served
from installation import Kubectl
from scenes import PREFIX, Pool, refusal


pytestmark = pytest.mark.cluster

DENIED = 'admission webhook "profile.elasticquota.dev" denied the request: '


def second(pool: Pool, name: str = "second", **spec: object) -> dict[str, object]:
    """Create another profile in the pool's namespace."""
    manifest = pool.profile_manifest(**{"quotaName": pool.name(name), **spec})
    manifest["metadata"]["name"] = name
    return manifest


def test_a_root_quota_has_one_profile(pool: Pool) -> None:
    refused = refusal(lambda: pool.admin.create(second(pool, quotaName=pool.root)))
    assert refused.code == 409
    assert refused.message == (
        f"{DENIED}ElasticQuotaProfile {pool.namespace}/second: spec.quotaName: '{pool.root}' is "
        f"the root quota of profile '{pool.namespace}/pool'. Choose another name. [EP1202]"
    )


def test_a_tree_id_that_the_quotas_carry_stays(pool: Pool) -> None:
    change = {"metadata": {"labels": {f"{PREFIX}tree-id": "4711"}}}
    refused = refusal(
        lambda: pool.admin.patch("ElasticQuotaProfile", "pool", pool.namespace, change=change)
    )
    assert refused.code == 422
    assert refused.fields == (f"metadata.labels[{PREFIX}tree-id]",)
    assert refused.message.endswith("[EP1201]")


def test_a_label_key_is_refused_by_the_definition(pool: Pool) -> None:
    refused = refusal(lambda: pool.admin.create(second(pool, quotaLabels={"a b": "c"})))
    assert served.without_values(refused.message) == (
        'ElasticQuotaProfile.quota.koordinator.sh "second" is invalid: spec.quotaLabels: Invalid '
        "value: every key must be the name of a label, such as gpu.model [EP1201]"
    )


def test_shared_nodes_cause_a_warning_for_the_user_of_kubectl(pool: Pool, kubectl: Kubectl) -> None:
    done = kubectl.attempt("create", "--dry-run=server", "-f", "-", stdin=json.dumps(second(pool)))
    assert done.returncode == 0, done.stderr
    assert done.stderr == (
        f"Warning: spec.nodeSelector: profile '{pool.namespace}/pool' selects some of the same "
        f"nodes, which count for that one alone: {pool.namespace}-0, {pool.namespace}-1. "
        "Select by a label that only nodes of one pool have. [EP1202]\n"
    )
