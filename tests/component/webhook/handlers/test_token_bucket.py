"""The token bucket grants what one second holds, and what comes in with time."""

from elasticquota_webhooks.handlers.token_bucket import TokenBucketRateLimiter


def test_more_than_the_rate_is_granted_only_as_time_passes() -> None:
    now = 100.0
    bucket = TokenBucketRateLimiter(10, clock=lambda: now)
    assert [bucket.take(4) for _ in range(3)] == [True, True, False]
    assert bucket.take(2), "what was refused took none"
    now += 0.5
    assert [bucket.take(5), bucket.take(1)] == [True, False]


def test_an_idle_bucket_holds_no_more_than_one_second() -> None:
    now = 0.0
    bucket = TokenBucketRateLimiter(10, clock=lambda: now)
    now += 3600
    assert [bucket.take(10), bucket.take(1)] == [True, False]
