"""The listener: requests that are no review, too large or too slow, and its certificate."""

import asyncio
import json
import random
import ssl
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import aiohttp
import pytest

import webhook_fixture as fixture
from elasticquota import names
from elasticquota_webhooks.certificates import authority, serving_certificate
from elasticquota_webhooks.server import incoming
from webhook_fixture import Document, WebhookReplica, pod, quota, review


PATHS = ["/mutate/elasticquota", "/validate/elasticquota", "/mutate/pod"]

BODIES: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "the body cannot be read: Input data was truncated"),
    "no JSON": (b"hello", "the body cannot be read: JSON is malformed"),
    "no UTF-8": (b'{"kind": "\xff"}', "the body cannot be read: "),
    "half a review": (json.dumps(review(quota("a"))).encode()[:200], "the body cannot be read: "),
    "a list": (b"[]", "the body cannot be read: Expected `object`, got `array`"),
    "no request": (
        b'{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}',
        "the body cannot be read: Object missing required field `request`",
    ),
    "another kind": (
        json.dumps(review(quota("a")) | {"kind": "TokenReview"}).encode(),
        "the body must be an AdmissionReview of admission.k8s.io/v1",
    ),
    "an unknown operation": (
        json.dumps(review(quota("a"), operation="BURN")).encode(),
        "the body cannot be read: Invalid enum value 'BURN' - at `$.request.operation`",
    ),
    "no uid": (json.dumps(review(quota("a"), uid="")).encode(), "the body must have a request.uid"),
    "a deep nest": (b'{"a":' * 100_000, "the body "),
}


@pytest.mark.parametrize(("body", "words"), BODIES.values(), ids=BODIES)
async def test_a_request_that_is_no_review_gets_400_and_a_message(
    webhook: WebhookReplica, body: bytes, words: str
) -> None:
    webhook.fill()
    for path in PATHS:
        code, text = await webhook.send(path, body)
        assert code == 400
        assert text.startswith(words)
        assert "Traceback" not in text


async def test_a_deep_object_gets_400(webhook: WebhookReplica) -> None:
    webhook.fill()
    deep = json.dumps(review(quota("a"))).replace('"cpu": "1000"', '"x":' + "[" * 90_000, 1)
    code, text = await webhook.send("/validate/elasticquota", deep)
    expected = "the body is nested too deeply"
    assert (code, text) == (400, expected)


@pytest.mark.parametrize("levels", [501, 1_001, 9_990, 9_999])
async def test_a_deeply_nested_quota_may_be_deleted_but_not_created(
    webhook: WebhookReplica, levels: int
) -> None:
    nest = '{"f:a":' * levels + "{}" + "}" * levels

    def deepened(question: Document) -> str:
        plain = json.dumps(question)
        return plain.replace('"metadata": {', f'"metadata": {{"managedFields": [{nest}], ', 1)

    webhook.fill(quota("a"))
    for path in ("/mutate/elasticquota", "/validate/elasticquota"):
        answer = await webhook.send(path, deepened(review(quota("b"))))
        assert answer == (400, "the body is nested too deeply")
    code, text = await webhook.send("/validate/elasticquota", deepened(review(None, quota("a"))))
    assert (code, json.loads(text)["response"]["allowed"]) == (200, True)


async def test_a_quota_of_490_levels_may_be_created_on_every_python(
    webhook: WebhookReplica,
) -> None:
    nest = '{"f:a":' * 490 + "{}" + "}" * 490
    plain = json.dumps(review(quota("b")))
    deep = plain.replace('"metadata": {', f'"metadata": {{"managedFields": [{nest}], ', 1)
    webhook.fill(quota("a"))
    code, text = await webhook.send("/validate/elasticquota", deep)
    assert (code, json.loads(text)["response"]["allowed"]) == (200, True)


@pytest.mark.parametrize("levels", [490, 501, 1_500, 9_990, 9_999])
async def test_a_deeply_nested_pod_is_gated_like_any_other(
    webhook: WebhookReplica, levels: int
) -> None:
    webhook.fill(quota("a"))
    plain = json.dumps(review(pod("a") | {"apiVersion": "v1", "kind": "Pod"}))
    nest = '{"f:a":' * levels + "{}" + "}" * levels
    deep = plain.replace(
        '"metadata": {', f'"metadata": {{"managedFields": [{{"fieldsV1": {nest}}}], '
    )
    assert len(deep) > len(plain) + levels
    expected = await webhook.send("/mutate/pod", plain)
    assert '"patchType"' in expected[1]
    assert await webhook.send("/mutate/pod", deep) == expected


async def test_random_damage_never_causes_a_fault_of_the_webhook(webhook: WebhookReplica) -> None:
    webhook.fill(quota("a"))
    whole = json.dumps(review(quota("b", {"cpu": 1}), quota("b"))).encode()
    chance = random.Random(7)
    for _ in range(150):
        damaged = bytearray(whole)
        for _ in range(chance.randint(1, 4)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        code, text = await webhook.send("/validate/elasticquota", bytes(damaged))
        assert code in (200, 400), text


async def test_a_body_that_is_too_large_gets_413(webhook: WebhookReplica) -> None:
    code, _ = await webhook.send("/mutate/pod", b" " * (incoming.LARGEST_BODY + 1))
    assert code == 413


async def test_a_body_of_the_largest_size_is_read(webhook: WebhookReplica) -> None:
    webhook.fill()
    body = json.dumps(review(quota("a"))).encode()
    code, _ = await webhook.send("/validate/elasticquota", body.ljust(incoming.LARGEST_BODY))
    assert code == 200


async def test_a_body_that_does_not_arrive_gets_408(hasty: WebhookReplica) -> None:
    async def slowly() -> AsyncIterator[bytes]:
        yield b"{"
        await asyncio.Event().wait()

    code, text = await hasty.send("/mutate/pod", slowly(), length=2)
    assert (code, text) == (408, "the body must arrive within 0.3 seconds")


async def test_another_content_type_gets_415(webhook: WebhookReplica) -> None:
    code, text = await webhook.send("/mutate/pod", b"{}", kind="text/plain")
    assert (code, text) == (415, "the body must be application/json")


async def test_many_reviews_at_once_are_all_answered(webhook: WebhookReplica) -> None:
    webhook.fill()
    questions = [webhook.validate(quota(f"q{number}")) for number in range(200)]
    assert all(response["allowed"] for response in await asyncio.gather(*questions))


async def test_reviews_are_counted_by_kind_operation_and_code(webhook: WebhookReplica) -> None:
    webhook.fill()
    await webhook.validate(quota("a"))
    await webhook.validate(quota("b", parent=names.SYSTEM_QUOTA))
    text = webhook.metrics.text().decode()
    labels = 'kind="validate-elasticquota",operation="CREATE"'
    for line in (
        f'elasticquota_webhook_reviews_total{{code="200",{labels}}} 1',
        f'elasticquota_webhook_reviews_total{{code="422",{labels}}} 1',
        'elasticquota_webhook_refusals_total{rule="EQ1101"} 1',
        'elasticquota_webhook_review_seconds_count{kind="validate-elasticquota"} 2',
    ):
        assert line in text


async def test_a_new_certificate_is_served_without_closing_connections(
    webhook: WebhookReplica,
) -> None:
    webhook.fill()
    assert (await webhook.validate(quota("a")))["allowed"]
    new = authority.create(datetime.now(UTC))
    webhook.certificate.show(serving_certificate.issue(new, (fixture.HOST,), datetime.now(UTC)))
    assert (await webhook.validate(quota("b")))["allowed"], "the open connection goes on"
    trust = ssl.create_default_context(cadata=new.bundle.decode())
    async with (
        aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=trust)) as client,
        client.post(
            f"{webhook.url}/{fixture.TOKEN}/validate/elasticquota",
            json=review(quota("c")),
            server_hostname=fixture.HOST,
        ) as response,
    ):
        assert response.status == 200


async def test_a_pair_that_does_not_match_changes_nothing(webhook: WebhookReplica) -> None:
    webhook.fill()
    now = datetime.now(UTC)
    signer = authority.create(now)
    one, two = (serving_certificate.issue(signer, (fixture.HOST,), now) for _ in range(2))
    end = b"-----END CERTIFICATE-----\n"
    mixed = one.pair.partition(end)[0] + end + two.pair.partition(end)[2]
    shown = webhook.certificate.leaf
    with pytest.raises(ssl.SSLError):
        webhook.certificate.show(serving_certificate.Leaf(one.certificate, mixed))
    assert webhook.certificate.leaf is shown
    assert (await webhook.validate(quota("a")))["allowed"]
    with pytest.raises(aiohttp.ClientConnectorCertificateError):
        async with aiohttp.ClientSession() as client:
            await client.post(f"{webhook.url}/mutate/pod", json={})
