"""Laws of the order by applications: nothing is lost, and the least served one is next."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from elasticquota import names
from elasticquota.ledger.pods import usage, user_usage
from elasticquota.model.holder import Holder
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.quota import Quota
from elasticquota.model.workload import Workload
from elasticquota.scheduling.queue import application_order


OFFERED = {"cpu": 16_000, "memory": 64}
APPLICATIONS = st.sampled_from(("", "a", "b", "c"))


@st.composite
def pods(draw: st.DrawFn) -> list[Pod]:
    found = []
    for index in range(draw(st.integers(0, 12))):
        cpu, memory = draw(st.integers(0, 4_000)), draw(st.integers(0, 16))
        found.append(
            Pod(
                Key(draw(st.sampled_from(("one", "two"))), f"p-{index}"),
                f"uid-{index}",
                f"2026-01-01T00:00:{draw(st.integers(0, 9)):02}Z",
                request={"cpu": cpu, "memory": memory, names.PODS: 1},
                priority=draw(st.integers(0, 2)),
                holder=Holder(application=draw(APPLICATIONS)),
            )
        )
    return found


def quota(order: str, *, by_priority: bool) -> Quota:
    key = Key("teams", "team")
    return Quota(key, "u", "c", application_order=order, orders_by_priority=by_priority)


@given(pods(), pods(), st.sampled_from(("", names.FIFO, names.FAIR)), st.booleans())
def test_every_pod_has_one_place_and_applications_keep_their_own_order(
    waiting: list[Pod], running: list[Pod], order: str, by_priority: bool
) -> None:
    made = quota(order, by_priority=by_priority)
    found = application_order.arranged(made, waiting, running, OFFERED)
    assert sorted(each.uid for each in found) == sorted(each.uid for each in waiting)
    again = application_order.arranged(made, waiting[::-1], running[::-1], OFFERED)
    assert again == found
    if order:
        for name in {user_usage.application(each) for each in waiting}:
            mine = [each for each in found if user_usage.application(each) == name]
            assert mine == sorted(mine, key=usage.queue_order)


@given(pods(), pods())
def test_fair_always_serves_an_application_that_uses_least(
    waiting: list[Pod], running: list[Pod]
) -> None:
    made = quota(names.FAIR, by_priority=False)
    left = application_order.arranged(made, waiting, running, OFFERED)
    there: list[Workload] = list(running)
    while left:
        shares = {user_usage.application(each): share(each, there) for each in left}
        following, *left = left
        assert shares[user_usage.application(following)] == min(shares.values())
        there.append(following)


def share(one: Workload, there: list[Workload]) -> Fraction:
    """The largest part of what is offered that the application of ``one`` uses."""
    mine = [each for each in there if user_usage.application(each) == user_usage.application(one)]
    return max(
        Fraction(sum(each.request[key] for each in mine), most) for key, most in OFFERED.items()
    )
