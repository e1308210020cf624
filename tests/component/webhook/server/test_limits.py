"""What a client can and cannot do to a connection: raw bytes over TLS, without an HTTP client."""

import asyncio
import json
import ssl

import pytest
import structlog.testing

import webhook_fixture as fixture
from api_double.waiting import until
from elasticquota_webhooks.reviews.metrics import Metrics
from elasticquota_webhooks.reviews.reviews import BrokenError, Reviews
from elasticquota_webhooks.server import incoming
from elasticquota_webhooks.server.limits import USUAL
from raw_connections import BODY, LIMIT, WHOLE, connection_to, half, head, one
from webhook_fixture import WebhookReplica, pod, review


TURNED_AWAY = {
    "no HTTP": (b"\x16\x03\x01 hello\r\n\r\n", 400, "the request must be plain HTTP/1.1"),
    "HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "the request must be plain HTTP/1.1"),
    "two lengths": (head(2, "/mutate/pod", "Content-Length: 3"), 400, "the request must be"),
    "another path": (head(2, "/mutate/node"), 404, "nothing is reviewed at this path"),
    "another method": (head(2, method="PUT"), 405, "reviews are sent by POST"),
    "a packed body": (
        head(2, "/mutate/pod", "Content-Encoding: gzip"), 415, "the body must be application/json",
    ),
    "no length": (
        head(2).replace(b"Content-Length: 2", b"Transfer-Encoding: chunked"),
        411,
        "the head must have a Content-Length",
    ),
    "a body that is too large": (
        head(incoming.LARGEST_BODY + 1), 413, "the body must not be larger than 7340032 bytes",
    ),
    "an endless head": (
        head(2, "/mutate/pod", "X: " + "x" * incoming.LARGEST_HEAD)[:-4],
        431,
        "the head must not be larger than 65536 bytes",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("sent", "code", "words"), TURNED_AWAY.values(), ids=TURNED_AWAY)
async def test_an_unacceptable_request_is_refused_by_its_head(
    webhook: WebhookReplica, sent: bytes, code: int, words: str
) -> None:
    async with connection_to(webhook) as client:
        client.send(sent)
        got, lines, text = await client.answer()
        assert (got, text[: len(words)]) == (code, words)
        assert b"\r\nConnection: close\r\n" in lines
    assert f'elasticquota_webhook_turned_away_total{{code="{code}"}} 1.0' in str(
        webhook.metrics.text()
    ).replace("\\n", "\n")


async def test_a_refused_client_can_keep_sending_until_it_has_read_the_answer(
    webhook: WebhookReplica,
) -> None:
    async with connection_to(webhook) as client:
        client.send(head(incoming.LARGEST_BODY + 1), b" " * incoming.LARGEST_BODY)
        assert (await client.answer())[0] == 413


async def test_a_head_that_does_not_end_gets_408(hasty: WebhookReplica) -> None:
    async with connection_to(hasty) as client:
        client.send(b"POST /mutate/pod HT")
        assert (await client.answer())[0] == 408


async def test_a_refused_client_that_stays_is_cut_off(hasty: WebhookReplica) -> None:
    hasty.limit(linger_seconds=0.1)
    async with connection_to(hasty) as client:
        client.send(head(2, "/mutate/node"))
        assert (await client.answer())[0] == 404
        assert await client.closed()


async def test_a_silent_connection_is_closed(hasty: WebhookReplica) -> None:
    async with connection_to(hasty) as client:
        hasty.fill()
        client.send(WHOLE)
        assert (await client.answer())[0] == 200
        hasty.limit(idle_seconds=0.1)
        assert await client.closed()


async def test_the_number_of_connections_is_limited(webhook: WebhookReplica) -> None:
    webhook.fill()
    webhook.limit(connections=1)
    async with connection_to(webhook) as first:
        first.send(WHOLE)
        assert (await first.answer())[0] == 200
        with pytest.raises(ConnectionError):
            async with connection_to(webhook):
                pass
        first.send(WHOLE)
        assert (await first.answer())[0] == 200


async def test_a_request_may_arrive_byte_by_byte(webhook: WebhookReplica) -> None:
    webhook.fill()
    async with connection_to(webhook) as client:
        for at in range(0, len(WHOLE), 40):
            client.send(WHOLE[at : at + 40])
            await asyncio.sleep(0)
        assert (await client.answer())[0] == 200


async def test_pipelined_requests_are_answered_in_order(webhook: WebhookReplica) -> None:
    webhook.fill()
    async with connection_to(webhook) as client:
        for number in range(50):
            body = json.dumps(review(pod("a"), uid=f"uid-{number}")).encode()
            client.send(head(len(body)), body)
        for number in range(50):
            _, _, text = await client.answer()
            assert json.loads(text)["response"]["uid"] == f"uid-{number}"


async def test_large_bodies_take_turns_and_small_ones_do_not_wait(webhook: WebhookReplica) -> None:
    webhook.fill()
    large = BODY.ljust(1024 * 1024)
    async with asyncio.timeout(LIMIT), asyncio.TaskGroup() as group:
        stuck = [await group.create_task(half(webhook, large)) for _ in range(USUAL.large_at_once)]
        waiting = group.create_task(one(webhook, large))
        server_state = webhook.server._server_state
        await until(
            lambda: (len(server_state.reading_large), len(server_state.line)) == (len(stuck), 1),
            within=LIMIT,
        )
        assert await one(webhook, BODY) == 200
        webhook.limit(read_seconds=0)  # over; the queue has its own limit
        server_state.sweep()
        webhook.limit(read_seconds=fixture.PATIENCE)
        assert await waiting == 200, "those that do not go on lose their turn"
        for each in stuck:
            each.cancel()


async def test_a_review_that_arrives_just_before_the_stop_is_answered(
    webhook: WebhookReplica,
) -> None:
    """It waits in the socket of an idle connection when the server stops."""
    webhook.fill()
    async with connection_to(webhook) as client:
        client.send(WHOLE)
        assert (await client.answer())[0] == 200
        client.send(WHOLE)
        await webhook.server.stop()
        code, lines, _ = await client.answer()
        assert code == 200
        assert b"\r\nConnection: close\r\n" in lines
        assert await client.closed()


async def test_tls_before_1_2_is_refused(webhook: WebhookReplica) -> None:
    old = fixture.trust()
    with pytest.warns(DeprecationWarning, match="TLSv1_1"):
        old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
    with pytest.raises((ssl.SSLError, ConnectionError)):
        await asyncio.open_connection(
            "127.0.0.1", int(webhook.url.rpartition(":")[2]), ssl=old, server_hostname=fixture.HOST
        )


async def test_when_our_code_fails_the_failure_policy_decides_and_the_log_names_the_place(
    webhook: WebhookReplica,
) -> None:
    async def broken(_: object) -> None:
        raise KeyError("secret of the object")

    webhook.route("/mutate/pod", broken)
    with structlog.testing.capture_logs() as logs:
        async with connection_to(webhook) as client:
            client.send(WHOLE)
            code, _, text = await client.answer()
    uid = review(pod("a"))["request"]["uid"]
    assert code == 500
    assert text == f"the webhook failed at review {uid}; its log says where, please report it"
    (logged,) = logs
    assert logged.pop("at")[-1].startswith("test_limits.py:")
    assert logged == {
        "event": "a review met a fault of ours",
        "log_level": "error",
        "kind": "broken",
        "uid": uid,
        "operation": "CREATE",
        "error": "KeyError",
    }
    assert 'reviews_total{code="500",kind="broken",operation="CREATE"} 1.0' in str(
        webhook.metrics.text()
    )


async def test_a_fault_of_the_webhook_is_no_answer() -> None:
    async def broken(_: object) -> None:
        raise RecursionError

    with pytest.raises(BrokenError):
        await Reviews("x", broken, Metrics()).answer(BODY)  # type: ignore[arg-type]
