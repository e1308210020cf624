"""kubectl shows a warning for a key that is passed over, and the object is stored as written."""

import json
from typing import Any

import pytest

import command_line
from installation import Kubectl
from local_cluster import cluster as local
from scenes import PREFIX, Pool
from users import Document


pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("admission")]

LABELED = {"pods": ["*"]}
"""Pods name the quota by label: so it needs to bind no namespace, and gets no warning for that."""


@pytest.fixture
def applied(kubectl: Kubectl) -> Any:
    """Applies a manifest and returns the lines that kubectl shows as warnings."""

    def apply(manifest: Document) -> list[str]:
        done = kubectl.attempt("apply", "-f", "-", stdin=json.dumps(manifest))
        assert done.returncode == 0, done.stderr
        lines = done.stderr.splitlines()
        return [line.removeprefix("Warning: ") for line in lines if line.startswith("Warning: ")]

    return apply


def test_seed_001_text_tree_id_of_a_quota_as_an_annotation_is_a_warning(
    pool: Pool, applied: Any
) -> None:
    quota = pool.quota_manifest(
        "team", min=1, max=2, access=LABELED, annotations={f"{PREFIX}tree-id": "a"}
    )
    assert applied(quota) == [
        f"metadata.annotations[{PREFIX}tree-id]: has no effect: it is a label, not an annotation"
    ]
    assert pool.get("team")["metadata"]["annotations"][f"{PREFIX}tree-id"] == "a"
    misspelled = pool.quota_manifest(
        "more", min=1, max=2, access=LABELED, annotations={f"{PREFIX}shared-wieght": "{}"}
    )
    (found,) = applied(misspelled)
    assert found.endswith("has no effect; did you mean shared-weight?")


def test_a_pod_and_a_namespace_are_warned_of_and_stored(
    pool: Pool, applied: Any, kubectl: Kubectl
) -> None:
    pool.quota("team", min=1)
    pod = pool.pod_manifest("web", "team", labels={f"{PREFIX}parent": "x"})
    (found,) = applied(pod)
    assert found.endswith("has no effect on a pod; it is a label of quotas")
    done = kubectl.attempt(
        "annotate", "namespace", pool.namespace, "elasticquota.dev/quota=team", "--overwrite"
    )
    assert "has no effect: it is a label, not an annotation" in done.stderr
    assert done.returncode == 0
    done = kubectl.attempt("annotate", "namespace", pool.namespace, "elasticquota.dev/quota-")
    assert (done.returncode, done.stderr) == (0, "")


def test_doctor_gives_the_same_warning(pool: Pool, applied: Any, cluster: local.Cluster) -> None:
    (told,) = applied(
        pool.quota_manifest(
            "team", min=1, max=2, access=LABELED, annotations={f"{PREFIX}is-root": "true"}
        )
    )
    words = ("doctor", "-n", pool.namespace, "-o", "json")
    found = command_line.run(*words, kubeconfig=cluster.kubeconfig)
    messages = [each["message"] for each in json.loads(found.stdout)["findings"]]
    assert told in messages
