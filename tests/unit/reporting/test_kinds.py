"""Which kinds of owners are read, and in which version."""

from elasticquota.jobs.adapter import JobKind
from elasticquota.jobs.kinds import table
from elasticquota.model.owner import Owner
from elasticquota.reporting import kinds


def test_every_kind_of_job_is_an_owner() -> None:
    found = kinds.table(table.table())
    for adapter in table.BUILT_IN:
        assert found[adapter.identity].plural == adapter.plural
    assert found[JobKind("apps", "ReplicaSet")].plural == "replicasets"


def test_an_owner_is_read_in_the_version_that_it_names_if_that_is_known() -> None:
    served = kinds.ServedResource(("v1", "v1alpha1"), "rayjobs")
    for written, read in (
        ("ray.io/v1alpha1", "v1alpha1"),
        ("ray.io/v1", "v1"),
        ("ray.io/../../api/v1/secrets", "v1"),
        ("ray.io/", "v1"),
    ):
        assert kinds.version(Owner(written, "RayJob", "a", "uid"), served) == read


def test_an_owner_of_the_core_group_has_no_group() -> None:
    owner = Owner("v1", "Pod", "a", "uid")
    assert (owner.group, owner.version) == ("", "v1")
    assert JobKind(owner.group, owner.kind) == kinds.POD
