"""Selectors of device classes, evaluated by the CEL runtime as Kubernetes evaluates them."""

import sys

import pytest

from elasticquota.devices.class_offers import UnknownClassError, UnmatchedError
from elasticquota.model.claims import DeviceClass
from elasticquota.model.devices import Amount, Device, Version
from elasticquota_cel import selectors
from elasticquota_cel.selectors import DeviceSelectors


DRIVER = "gpu.example.com"
DEVICE = Device(
    "gpu-0",
    DRIVER,
    (
        ((DRIVER, "model"), "A100"),
        ((DRIVER, "index"), 3),
        ((DRIVER, "ecc"), True),
        ((DRIVER, "version"), Version("1.2.3-rc.1")),
        ((DRIVER, "tags"), ("a", "b")),
        (("other.com", "x"), "y"),
    ),
    (((DRIVER, "memory"), Amount(80 * 1024**3 * 10**9)),),
)
A, C = f'device.attributes["{DRIVER}"]', f'device.capacity["{DRIVER}"]'


def matches(*expressions: str, device: Device = DEVICE) -> bool:
    return DeviceSelectors().matches(DeviceClass("c", "", expressions), device)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (f'device.driver == "{DRIVER}"', True),
        ('device.driver == "other.com"', False),
        (f'{A}.model == "A100"', True),
        (f'{A}.model == "T4" || {A}.index >= 3', True),
        (f"{A}.ecc", True),
        (f'{A}.model in ["T4", "A100"]', True),
        (f'{A}.model.matches("^A[0-9]+$")', True),
        (f'{A}.model.lowerAscii() == "a100"', True),
        ('device.attributes["other.com"].x == "y"', True),
        ('"x" in device.attributes["unknown.com"]', False),
        (f"has({A}.model) && !has({A}.vendor)", True),
        (f'{A}.?vendor.orValue("none") == "none"', True),
        (f'cel.bind(d, {A}, d.model == "A100" && d.index > 2)', True),
        (f'"b" in {A}.tags', True),
        (f'{A}.tags.exists(t, t.startsWith("a"))', True),
        (f'{C}.memory.compareTo(quantity("80Gi")) == 0', True),
        (f'{C}.memory == quantity("81920Mi")', True),
        (f'{C}.memory.isGreaterThan(quantity("80Gi"))', False),
        (f'{C}.memory.sub(quantity("79Gi")).isLessThan(quantity("2Gi"))', True),
        (f'{A}.version.isLessThan(semver("1.2.3"))', True),
        (f'{A}.version.isGreaterThan(semver("1.2.3-beta"))', True),
        (f'{A}.version.compareTo(semver("1.2.3-rc.1+build")) == 0', True),
        (f"{A}.version.major() == 1 && {A}.version.minor() == 2", True),
        ('isSemver("1.2") || isQuantity("much")', False),
        ("!device.allowMultipleAllocations", True),
    ],
)
def test_an_expression_means_what_it_means_to_the_scheduler(
    expression: str, expected: bool
) -> None:
    assert matches(expression) is expected


def test_all_selectors_of_a_class_must_match() -> None:
    assert matches()
    assert matches("true", f'{A}.model == "A100"')
    assert not matches("true", f'{A}.model == "T4"')


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("device.driver ==", "cannot be read: "),
        ('ip("10.0.0.1").family() == 4', "undeclared reference to 'ip'"),
        ("pod.name == 'x'", "undeclared reference to 'pod"),
        ("1 + 1", "must be true or false, not INT"),
        ("true || " * 2000 + "true", "at most 10240 are read"),
    ],
)
def test_an_expression_that_cannot_be_evaluated_makes_its_class_unknown(
    expression: str, why: str
) -> None:
    with pytest.raises(UnknownClassError) as error:
        matches(expression)
    assert why in str(error.value)
    assert len(str(error.value)) < 300
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        (f'{A}.vendor == "x"', "Key not found"),
        (f'{A}.version.isGreaterThan(quantity("1"))', "a version is compared with something else"),
        (f"{A}.model", "fails"),
        ('quantity("much").sign() == 1', "is not a quantity"),
    ],
)
def test_an_expression_that_fails_for_a_device_says_so(expression: str, why: str) -> None:
    with pytest.raises(UnmatchedError) as error:
        matches(expression)
    assert why in str(error.value)


def test_a_loop_without_end_is_ended() -> None:
    numbers = str(list(range(400)))
    expression = f"{numbers}.all(x, {numbers}.all(y, {numbers}.all(z, x + y + z >= 0)))"
    with pytest.raises(UnmatchedError, match="budget"):
        matches(expression)


def test_a_regular_expression_runs_in_linear_time() -> None:
    device = Device("x", DRIVER, (((DRIVER, "model"), "a" * 64),))
    assert not matches(f'{A}.model.matches("^(a*)*(a*)*(a*)*(a*)*b$")', device=device)


def test_devices_that_differ_in_what_no_expression_reads_are_evaluated_once() -> None:
    found = DeviceSelectors()
    for serial in range(50):
        device = Device("x", DRIVER, (((DRIVER, "model"), "T4"), ((DRIVER, "uuid"), str(serial))))
        assert not found.matches(DeviceClass("c", "", (f'{A}.model == "A100"',)), device)
    assert len(found._results) == 1


def test_an_expression_that_may_read_any_attribute_is_evaluated_for_each_device() -> None:
    found = DeviceSelectors()
    expression = f'{A}.exists(name, name.startsWith("u"))'
    for name, expected in (("uuid", True), ("model", False)):
        device = Device("x", DRIVER, (((DRIVER, name), "1"),))
        assert found.matches(DeviceClass("c", "", (expression,)), device) is expected


def test_true_and_one_are_not_the_same_attribute() -> None:
    found = DeviceSelectors()
    one, true = (Device("x", DRIVER, (((DRIVER, "index"), value),)) for value in (1, True))
    expression = (f"{A}.index == 1",)
    assert found.matches(DeviceClass("c", "", expression), one)
    assert not found.matches(DeviceClass("c", "", expression), true)


def test_results_and_programs_do_not_fill_memory() -> None:
    found = DeviceSelectors()
    for index in range(selectors.MOST_KEPT + 10):
        device = Device("x", f"driver-{index}")
        found.matches(DeviceClass("c", "", ("true",)), device)
    assert len(found._results) == selectors.MOST_KEPT


def test_without_a_cel_runtime_a_class_is_unknown_and_says_where_there_is_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("cel_expr_python", "cel_expr_python.ext"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(UnknownClassError, match="no CEL runtime; the package elastic-quota-op"):
        matches("true")
