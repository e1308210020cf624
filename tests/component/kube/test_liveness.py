"""A process is dead when one watch is silent while others are not; an outage kills no process."""

from dataclasses import dataclass, field

from elasticquota_kube.liveness import Liveness


@dataclass
class Process:
    """Checked every ten seconds; ``heard`` is what its clients receive, except ``deaf``."""

    now: float = 1000.0
    heard: dict[str, float] = field(default_factory=lambda: {"pods": 1000.0, "lease": 1000.0})

    def __post_init__(self) -> None:
        self.liveness = Liveness(lambda: self.heard, lambda: self.now)

    def later(self, seconds: int, *hearing: str) -> list[str]:
        """The watches reported as dead in the next ``seconds``; those of ``hearing`` are heard."""
        found: list[str] = []
        for _ in range(0, seconds, 10):
            self.now += 10
            self.heard.update(dict.fromkeys(hearing, self.now))
            found += self.liveness.silent()
        return sorted(set(found))


def test_a_process_whose_watches_all_answer_is_alive() -> None:
    assert Process().later(3600, "pods", "lease") == []


def test_a_watch_that_is_silent_for_five_minutes_while_others_are_not_is_dead() -> None:
    process = Process()
    assert process.later(300, "lease") == []
    assert process.later(10, "lease") == ["pods"]


def test_an_outage_of_the_api_server_kills_no_process_however_long() -> None:
    assert Process().later(24 * 3600) == []


def test_after_an_outage_each_watch_has_time_to_resume() -> None:
    process = Process()
    process.later(3600)
    assert process.later(290, "lease") == []
    assert process.later(60, "lease", "pods") == []


def test_a_watch_that_does_not_resume_after_an_outage_is_dead() -> None:
    process = Process()
    process.later(3600)
    assert process.later(400, "lease") == ["pods"]


def test_a_process_that_starts_into_an_outage_waits_for_its_end() -> None:
    process = Process(heard={"pods": 1000.0})
    assert process.later(3600) == []
    assert process.later(290, "pods") == []


def test_intermittent_answers_do_not_hide_a_dead_watch() -> None:
    process = Process()
    dead: list[str] = []
    for _ in range(10):
        dead += process.later(100) + process.later(10, "lease")
    assert "pods" in dead
