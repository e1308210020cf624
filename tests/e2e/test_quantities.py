"""The real API server reads and writes quantities as we do, but for the bounds that we add.

A device's capacity in a ResourceSlice is a bare quantity of any sign, and one slice holds 4096 of
them. A pod's requests are resource lists, which the server rounds to thousandths. Everything is a
dry run.
"""

import json
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import pytest
from kubernetes import client
from kubernetes.client import exceptions

import quantity_texts
import served
import users
from elasticquota import quantity


pytestmark = [pytest.mark.cluster, served.since(34)]  # which serves ResourceSlices v1

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "quantities.json").read_text("utf-8"))
TEXTS: Final = sorted({*quantity_texts.generate(900), *VECTORS["parsed"], *VECTORS["refused"]})

STRICTER: Final[Mapping[str, Callable[[str], object]]] = {
    "more than 64 characters": lambda text: len(text) > 64,
    "an exponent beyond 24": lambda text: re.search(r"[eE][+-]?(2[5-9]|[3-9][0-9])$", text),
    "no digit before the suffix": lambda text: not re.match(r"[+-]?\.?[0-9]", text.strip(" ")),
    "a blank before or after": lambda text: text != text.strip(" "),
}
"""What the API server accepts and we refuse on purpose."""

NANO: Final = 10**9
NANO_UNITS: Final = {
    "n": 1, "u": 10**3, "m": 10**6, "": NANO,
    "k": 10**12, "M": 10**15, "G": 10**18, "T": 10**21, "P": 10**24, "E": 10**27,
    "Ki": NANO << 10, "Mi": NANO << 20, "Gi": NANO << 30, "Ti": NANO << 40, "Pi": NANO << 50,
    "Ei": NANO << 60,
}  # fmt: skip


class Server:
    """How the API server reads quantities."""

    def __init__(self, configuration: client.Configuration) -> None:
        self._api: Any = client.ApiClient(configuration)

    def close(self) -> None:
        self._api.close()

    def canonical(self, texts: Sequence[str]) -> list[str]:
        """All of them in canonical form; raises when one is refused."""
        devices = [
            {"name": f"d{n}", "capacity": {f"c{i:02}": {"value": t} for i, t in enumerate(part)}}
            for n, part in enumerate(
                texts[start : start + 32] for start in range(0, len(texts), 32)
            )
        ]
        pool = {"name": "pool", "generation": 1, "resourceSliceCount": 1}
        spec = {"driver": "example.com", "nodeName": "none", "pool": pool, "devices": devices}
        manifest = {"metadata": {"name": "quantities"}, "spec": spec}
        api: Any = client.ResourceV1Api(self._api)
        answer = api.create_resource_slice(manifest, dry_run="All")
        return [
            device.capacity[key].value
            for device in answer.spec.devices
            for key in sorted(device.capacity)
        ]

    def accepts(self, text: str) -> bool:
        try:
            self.canonical([text])
        except exceptions.BadRequestException:
            return False
        return True

    def requests(self, texts: Sequence[str]) -> list[Mapping[str, str]]:
        """What a pod's containers request when each text is asked of cpu and of memory."""
        containers = [
            {
                "name": f"c{number}",
                "image": "registry.example/main:1",
                "resources": {"requests": {"cpu": text, "memory": text}},
            }
            for number, text in enumerate(texts)
        ]
        # The operator, where it is installed, leaves this namespace alone.
        manifest = {"metadata": {"name": "quantities"}, "spec": {"containers": containers}}
        api: Any = client.CoreV1Api(self._api)
        answer = api.create_namespaced_pod("kube-system", manifest, dry_run="All")
        return [container.resources.requests for container in answer.spec.containers]


@pytest.fixture(scope="module")
def server(admin: users.User) -> Iterator[Server]:
    asked = Server(admin.configuration)
    yield asked
    asked.close()


def read(text: str) -> int | None:
    """Our own reading; None when refused."""
    try:
        return quantity.parse(text)
    except quantity.QuantityError:
        return None


def nano(canonical: str) -> int:
    """The value of what the server wrote, in nano units, read without our help."""
    match = re.fullmatch(r"([+-]?[0-9.]+)(?:[eE]([+-]?[0-9]+)|([a-zA-Z]*))", canonical)
    assert match is not None, canonical
    number, exponent, suffix = match.groups()
    unit = Fraction(10) ** int(exponent) * NANO if exponent else NANO_UNITS[suffix or ""]
    value = Fraction(number) * unit
    assert value.denominator == 1, canonical
    return value.numerator


def test_there_is_much_to_compare() -> None:
    accepted = [text for text in TEXTS if read(text) is not None]
    assert (len(accepted) >= 500, len(TEXTS) - len(accepted) >= 250) == (True, True)


def test_the_server_reads_what_we_read_as_the_same_amount(server: Server) -> None:
    ours = {text: amount for text in TEXTS if (amount := read(text)) is not None}
    theirs = [nano(canonical) for canonical in server.canonical(list(ours))]
    assert dict(zip(ours, theirs, strict=True)) == ours


def test_the_server_refuses_what_we_refuse_but_for_our_bounds(server: Server) -> None:
    refused = [text for text in TEXTS if read(text) is None]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(server.accepts, refused))
    accepted = [text for text, accepts in zip(refused, answers, strict=True) if accepts]
    reasons = {text: {why for why, rule in STRICTER.items() if rule(text)} for text in accepted}
    assert [text for text, why in reasons.items() if not why] == []
    assert set().union(*reasons.values()) == set(STRICTER)


def test_the_server_rounds_requests_as_we_do(server: Server) -> None:
    asked = [text for text in TEXTS if (read(text) or -1) > 0]
    # A large pod takes the server a time that grows with its square.
    parts = [asked[start : start + 64] for start in range(0, len(asked), 64)]
    kept = [requests for part in parts for requests in server.requests(part)]
    for text, requests in zip(asked, kept, strict=True):
        assert nano(requests["cpu"]) == quantity.amount("cpu", text) * 10**6
        assert -(-nano(requests["memory"]) // NANO) == quantity.amount("memory", text)


def test_what_we_write_is_canonical_for_the_server(server: Server) -> None:
    chance = random.Random(36)
    amounts = [int(amount) for amount in VECTORS["written"]]
    amounts += [chance.randint(1, 4096) * 10 ** chance.randint(0, 15) for _ in range(100)]
    amounts += [chance.randint(1, 4096) << chance.randint(0, 50) for _ in range(100)]
    for resource in ("cpu", "nvidia.com/gpu"):
        written = [quantity.text(resource, amount) for amount in amounts]
        assert server.canonical(written) == written
    written = [quantity.text("memory", amount) for amount in amounts]
    for text, canonical in zip(written, server.canonical(written), strict=True):
        # Bytes that no binary suffix fits are a bare number, of which the server, who cannot know
        # that they are bytes, makes thousands.
        assert canonical == text if text.endswith("i") else nano(canonical) == nano(text)
