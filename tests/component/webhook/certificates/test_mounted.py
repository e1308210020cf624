"""Modes certManager and secret: files are read and checked, and served once they are trusted."""

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

import certificate_managers as managers
from api_double import ApiDouble
from certificate_managers import HOST, HOSTS, LINGER, MARGIN, START, ManualClock, Replica
from elasticquota_kube.client.api import Api
from elasticquota_webhooks.certificates import authority, mounted, serving_certificate
from elasticquota_webhooks.certificates.authority import Authority
from elasticquota_webhooks.certificates.mounted import MountedCertificates
from elasticquota_webhooks.certificates.serving_certificate import Leaf


Files = dict[str, bytes]

ONE, TWO = authority.create(START), authority.create(START)


class Folder:
    """A mounted Secret, which changes all at once like one of the kubelet."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._version = 0

    def show(self, files: Files) -> None:
        self._version += 1
        version = self.place / f"..{self._version}"
        version.mkdir()
        for name, content in files.items():
            (version / name).write_bytes(content)
            if not (self.place / name).is_symlink():
                (self.place / name).symlink_to(f"..data/{name}")
        staged = self.place / "..data.new"
        staged.symlink_to(version.name)
        staged.replace(self.place / "..data")


def files(leaf: Leaf, trust: bytes) -> Files:
    """The entries of a TLS Secret."""
    chain, mark, key = leaf.pair.partition(b"-----BEGIN PRIVATE KEY-----")
    return {"tls.crt": chain, "tls.key": mark + key, "ca.crt": trust}


def issued(by: Authority = ONE, now: datetime = START, hosts: tuple[str, ...] = HOSTS) -> Leaf:
    return serving_certificate.issue(by, hosts, now)


FIRST = issued()
GOOD = files(FIRST, ONE.bundle)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    found = Folder(tmp_path)
    found.show(GOOD)
    return found


@pytest.fixture
def new(api: Api, double: ApiDouble, clock: ManualClock, folder: Folder) -> Callable[..., Replica]:
    """Creates replicas that read the folder."""
    managers.configure(double)

    def make(place: Path = folder.place, *, publishes: bool = True) -> Replica:
        return Replica(api, clock, MountedCertificates(place, HOST, publishes=publishes))

    return make


async def test_the_pair_is_served_and_its_authority_published(
    new: Callable[..., Replica], double: ApiDouble
) -> None:
    replica = new()
    await replica.manager.reconcile()
    assert (replica.leaf.certificate, replica.manager.missing()) == (FIRST.certificate, "")
    assert managers.trusted(double) == [ONE.certificate]


async def test_a_new_pair_of_the_same_authority_is_served_at_the_next_check(
    new: Callable[..., Replica], folder: Folder, clock: ManualClock
) -> None:
    replica = new()
    await replica.manager.reconcile()
    clock.wait(MARGIN)
    await replica.manager.reconcile()
    renewed = issued(now=START + timedelta(days=1))
    clock.wait(timedelta(days=1))
    folder.show(files(renewed, ONE.bundle))
    await replica.manager.reconcile()
    assert replica.leaf.certificate == renewed.certificate


async def test_a_secret_that_changes_authority_and_leaf_at_once_fails_no_call(
    new: Callable[..., Replica],
    folder: Folder,
    double: ApiDouble,
    clock: ManualClock,
    tmp_path: Path,
) -> None:
    late = Folder(tmp_path / "late")  # the kubelet of another node takes two minutes
    late.place.mkdir()
    late.show(GOOD)
    replicas = new(), new(late.place)
    for each in replicas:
        await each.manager.reconcile()
    folder.show(files(issued(TWO), TWO.bundle))
    for seconds in range(0, 180, 5):
        if seconds == 120:
            late.show(files(issued(TWO), TWO.bundle))
        for each in replicas:
            await each.manager.reconcile()
            assert all(one.is_accepted(double) for one in replicas), seconds
        clock.wait(timedelta(seconds=5))
    assert all(managers.signed(each.leaf, by=TWO.certificate) for each in replicas)
    clock.wait(LINGER)
    for each in replicas:
        await each.manager.reconcile()
    assert managers.trusted(double) == [TWO.certificate]


async def test_a_bundle_that_others_publish_is_never_touched(
    new: Callable[..., Replica], double: ApiDouble
) -> None:
    replica = new(publishes=False)
    await replica.manager.reconcile()
    assert replica.manager.missing() == (
        "no trusted certificate yet: the API server would refuse the certificate: "
        "nothing is trusted"
    )
    managers.inject(double, TWO.bundle)
    await replica.manager.reconcile()
    assert "unable to get local issuer certificate" in replica.manager.missing()
    managers.inject(double, ONE.bundle)
    await replica.manager.reconcile()
    assert (replica.manager.missing(), replica.manager.problem) == ("", "")
    written = [
        each["path"] for call in double.calls if call.method == "PATCH" for each in call.body
    ]
    assert written
    assert not [path for path in written if "caBundle" in path]


async def test_a_new_pair_waits_until_its_authority_is_published(
    new: Callable[..., Replica], folder: Folder, double: ApiDouble, clock: ManualClock
) -> None:
    replica = new(publishes=False)
    managers.inject(double, ONE.bundle)
    await replica.manager.reconcile()
    folder.show(files(issued(TWO), TWO.bundle))
    clock.wait(MARGIN)
    await replica.manager.reconcile()
    assert replica.leaf.certificate == FIRST.certificate
    managers.inject(double, ONE.bundle + TWO.bundle)
    await replica.manager.reconcile()
    assert replica.leaf.certificate == FIRST.certificate
    clock.wait(MARGIN)
    await replica.manager.reconcile()
    assert managers.signed(replica.leaf, by=TWO.certificate)


async def test_a_secret_that_changes_while_it_is_read_is_read_in_one_version(
    new: Callable[..., Replica], folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = mounted._content

    def read_and_change(place: Path, name: str) -> bytes:
        content = read(place, name)
        if name == "tls.crt":
            folder.show(files(issued(TWO), TWO.bundle))
        return content

    monkeypatch.setattr(mounted, "_content", read_and_change)
    replica = new()
    await replica.manager.reconcile()
    assert (replica.manager.problem, replica.leaf.certificate) == ("", FIRST.certificate)


async def test_a_bundle_wiped_while_the_files_are_wrong_is_filled_again(
    new: Callable[..., Replica], folder: Folder, double: ApiDouble
) -> None:
    replica = new()
    await replica.manager.reconcile()
    folder.show({"tls.crt": b"", "tls.key": b""})
    managers.configure(double)
    await replica.manager.reconcile()
    assert managers.trusted(double) == [ONE.certificate]


def encrypted(leaf: Leaf) -> bytes:
    key = serialization.load_pem_private_key(files(leaf, b"")["tls.key"], None)
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.BestAvailableEncryption(b"password"),
    )


def rsa_key() -> bytes:
    return rsa.generate_private_key(65537, 2048).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


FAULTS: list[tuple[Files, str]] = [
    ({"tls.crt": b""}, "tls.crt holds no certificate in PEM"),
    ({"tls.crt": GOOD["tls.key"]}, "tls.crt holds no certificate in PEM"),
    ({"tls.crt": GOOD["tls.crt"][:300]}, "tls.crt holds no certificate in PEM"),
    ({"tls.key": b"\xff\x00"}, "tls.key holds no private key in PEM"),
    ({"tls.key": encrypted(FIRST)}, "tls.key is encrypted: store it without a password"),
    ({"tls.key": files(issued(), b"")["tls.key"]}, "tls.key does not belong to tls.crt"),
    ({"tls.key": rsa_key()}, "tls.key does not belong to tls.crt"),
    ({"ca.crt": b"nothing"}, "ca.crt holds no certificate in PEM"),
    (
        {"ca.crt": TWO.bundle},
        f"a client that trusts ca.crt would not take tls.crt for {HOST}: "
        "unable to get local issuer certificate",
    ),
    (
        files(issued(hosts=("other.example.org",)), ONE.bundle),
        f"a client that trusts ca.crt would not take tls.crt for {HOST}: "
        f"Hostname mismatch, certificate is not valid for '{HOST}'.",
    ),
    (
        files(issued(now=START - timedelta(days=8)), ONE.bundle),
        "tls.crt is valid from 2025-12-23T23:00:00Z until 2025-12-31T00:00:00Z, "
        "now is 2026-01-01T00:00:00Z: renew it",
    ),
    (
        files(issued(now=START + timedelta(days=1)), ONE.bundle),
        "tls.crt is valid from 2026-01-01T23:00:00Z until 2026-01-09T00:00:00Z, "
        "now is 2026-01-01T00:00:00Z: renew it",
    ),
]
every_fault = pytest.mark.parametrize(("damage", "words"), FAULTS, ids=range(len(FAULTS)))


@every_fault
async def test_a_fault_at_the_start_is_reported_by_the_probe(
    new: Callable[..., Replica], folder: Folder, damage: Files, words: str
) -> None:
    folder.show(GOOD | damage)
    replica = new()
    await replica.manager.reconcile()
    assert replica.manager.missing() == f"no trusted certificate yet: {words}"
    assert not replica.manager.shown.is_set()
    folder.show(GOOD)
    await replica.manager.reconcile()
    assert (replica.manager.missing(), replica.manager.problem) == ("", "")


@every_fault
async def test_a_later_fault_keeps_the_last_good_pair_until_it_expires(
    new: Callable[..., Replica],
    folder: Folder,
    double: ApiDouble,
    clock: ManualClock,
    damage: Files,
    words: str,
) -> None:
    replica = new()
    await replica.manager.reconcile()
    folder.show(GOOD | damage)
    await replica.manager.reconcile()
    assert (replica.manager.problem, replica.manager.missing()) == (words, "")
    assert replica.leaf.certificate == FIRST.certificate
    assert replica.is_accepted(double)
    clock.wait(timedelta(days=30))
    assert replica.manager.missing() == f"the certificate has expired: {words}"


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("tls.key", "ca.crt"), "tls.crt cannot be read: No such file or directory"),
        (("tls.crt", "ca.crt"), "tls.key cannot be read: No such file or directory"),
        (("tls.crt", "tls.key"), "ca.crt cannot be read: No such file or directory"),
    ],
)
async def test_a_missing_file_is_named(
    new: Callable[..., Replica], tmp_path: Path, names: tuple[str, ...], words: str
) -> None:
    place = tmp_path / "plain"  # without a link: a folder that is not a mount
    place.mkdir()
    for name in names:
        (place / name).write_bytes(GOOD[name])
    replica = new(place)
    await replica.manager.reconcile()
    assert replica.manager.problem == words


async def test_a_missing_folder_is_named(new: Callable[..., Replica], tmp_path: Path) -> None:
    replica = new(tmp_path / "nowhere")
    await replica.manager.reconcile()
    assert replica.manager.problem == f"{tmp_path}/nowhere does not exist: mount the Secret there"


async def test_no_authority_is_needed_where_others_publish_it(
    new: Callable[..., Replica], folder: Folder, double: ApiDouble
) -> None:
    folder.show({name: GOOD[name] for name in ("tls.crt", "tls.key")})
    managers.inject(double, ONE.bundle)
    replica = new(publishes=False)
    await replica.manager.reconcile()
    assert replica.manager.missing() == ""
