"""The resource names of devices."""

from elasticquota.devices import keys


def test_a_class_has_the_name_that_a_resource_quota_writes() -> None:
    assert keys.of_class("gpu.example.com") == (
        "gpu.example.com.deviceclass.resource.k8s.io/devices"
    )


def test_the_implicit_extended_resource_of_a_class_is_the_same_devices() -> None:
    implicit = "deviceclass.resource.kubernetes.io/gpu.example.com"
    assert keys.class_of(implicit) == "gpu.example.com"
    assert keys.canonical(implicit) == keys.of_class("gpu.example.com")
    for other in ("cpu", "nvidia.com/gpu", keys.IMPLICIT):
        assert keys.class_of(other) == ""
        assert keys.canonical(other) == other
