"""A cycle brings the ledger up to date, decides, and hands the decisions on in order."""

from dataclasses import dataclass

from elasticquota.model.decision import Decisions
from elasticquota.model.key import Key
from elasticquota_config.model import Configuration
from elasticquota_operator.cycle import Cycle, CycleParts
from elasticquota_operator.jobs.ordering import JobOrdering
from elasticquota_operator.reporting.forecasts import Forecasts
from writer_fixture import Scene


FIRST, HELD = Key("team", "first"), Key("team", "held")


@dataclass
class Part:
    """Writes down each call of it."""

    name: str
    calls: list[tuple[str, Decisions | None]]

    def refresh(self) -> None:
        self.calls.append((self.name, None))

    def hold(self, decisions: Decisions) -> Decisions:
        self.calls.append((self.name, decisions))
        return Decisions(unequal=(*decisions.unequal, HELD))

    def apply(self, decisions: Decisions) -> None:
        self.calls.append((self.name, decisions))


def cycle(scene: Scene, calls: list[tuple[str, Decisions | None]]) -> Cycle:
    def part(name: str) -> Part:
        return Part(name, calls)

    context = scene.context()
    parts = CycleParts(
        refreshers=[part("devices"), part("jobs")],
        unheld=[part("roots")],
        holders=[part("holder"), part("next holder")],
        writers=[part("writer"), part("next writer")],
    )
    return Cycle(context.settings, JobOrdering(context), Forecasts(context), parts)


async def test_writers_get_what_the_holders_let_pass_and_some_get_all(scene: Scene) -> None:
    calls: list[tuple[str, Decisions | None]] = []
    cycle(scene, calls).apply(Decisions(unequal=(FIRST,)))
    passed = Decisions(unequal=(FIRST, HELD, HELD))
    assert calls == [
        ("roots", Decisions(unequal=(FIRST,))),
        ("holder", Decisions(unequal=(FIRST,))),
        ("next holder", Decisions(unequal=(FIRST, HELD))),
        ("writer", passed),
        ("next writer", passed),
    ]


async def test_a_configuration_that_is_reloaded_counts_from_the_next_cycle_on(
    scene: Scene,
) -> None:
    calls: list[tuple[str, Decisions | None]] = []
    found = cycle(scene, calls)
    for namespaces in (("kube-system",), ("kube-system", "monitoring")):
        scene.settings.replace(Configuration(system_namespaces=namespaces))
        found.decide(scene.ledger, 1_000)
        assert scene.ledger.snapshot.accounting.terms.system_namespaces == {*namespaces}
    assert [name for name, _ in calls] == 2 * ["devices", "jobs"]
