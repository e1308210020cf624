"""2,000 manifests with one wrong place: the API server alone refuses what the readers cannot read.

Only the definitions are installed, so no webhook and no policy helps. Each manifest is sent as a
dry run. ``HYPOTHESIS_PROFILE=thorough`` sends ten times as many, and ``--hypothesis-seed`` or a run
outside of CI others.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final, NamedTuple

import pytest
import yaml

import effort
import good_manifests
import manifest_answers
import manifest_mutations
import reader_faults
import served
import users
from definition_files import files
from law_content import Content
from local_cluster import cluster as local
from manifest_answers import Answer
from users import User
from waiting import eventually


pytestmark = [pytest.mark.cluster, served.since(34)]

BASES: Final = {
    kind: good_manifests.manifests(kind, reader_faults.of) for kind in good_manifests.KINDS
}
COUNT: Final = 20_000 if os.environ.get("HYPOTHESIS_PROFILE") == "thorough" else 2_000
NAMESPACE: Final = "default"

AMOUNT: Final = re.compile(
    r"spec(\.tree)?\.capacity\.(max|largestNode|total)[.\[].*|spec\.limits\.people\[\d+\]\.max[.\[].*"
)
PERSON: Final = re.compile(r"spec\.limits\.people\[\d+\]\.(users|groups)\[\d+\]")
OVERLAP: Final = re.compile(r"spec(\.tree)?\.pools\[\d+\]\.nodeLabels: (every|a) node .*")
KEY_OF_PEOPLE: Final = re.compile(r"spec\.limits\.people\[\d+\]\.max: .* is not the name of a .*")


def by_pattern(path: str) -> bool:
    """Fields whose refusal says a pattern and no sentence, because there are so many of them that
    the API server refuses the cost of a rule.
    """
    return bool(AMOUNT.fullmatch(path) or PERSON.fullmatch(path))


def all_are(pattern: re.Pattern[str]) -> Callable[[Answer], bool]:
    """Accepted, with such faults only."""
    return lambda answer: answer.accepted and all(map(pattern.fullmatch, answer.faults))


def is_amount_in_another_form(answer: Answer) -> bool:
    """Refused for an amount that has a meaning all the same."""
    value = answer.value
    form = (
        isinstance(value, int | float) and not isinstance(value, bool)
        if not isinstance(value, str)
        else value.startswith("-") or re.search("[eE][+-]?0[0-9][0-9]$", value)
    )
    return bool(form) and not answer.accepted and not [*real_faults(answer)]


def real_faults(answer: Answer) -> Iterator[str]:
    """Without what follows from an amount in another place, min from max."""
    yield from (fault for fault in answer.faults if " must be less than or equal to " not in fault)


class Row(NamedTuple):
    """Manifests of which API server and reader may say different things."""

    holds: Callable[[Answer], bool]
    reason: str


EXCEPTIONS: Final[Mapping[str, Row]] = {
    "pools that no label distinguishes": Row(
        all_are(OVERLAP),
        "a message of CEL could name neither the pools nor the label that is missing",
    ),
    "names of resources in limits of people": Row(
        all_are(KEY_OF_PEOPLE),
        "256 limits of 64 resources: the API server refuses the cost of a rule about each name",
    ),
    "amounts in another form": Row(
        is_amount_in_another_form,
        "1.5, -0, 1e007 and numbers of more than 64 bits can be read, as in pods and annotations; "
        "the reader passes nothing over",
    ),
}
NO_SENTENCE: Final = re.compile("Duplicate value: .*")
"""What the API server says of a list of type set or map; no rule can say it better: the server
tries it first.
"""

WANTED: Final[Mapping[str, tuple[float, float]]] = {
    "wrong type": (0, 0.9),
    "out of bounds": (0, 0.9),
    "at the bound": (0.6, 0),
    "unknown key": (0.03, 0.7),
    "nearest key": (0, 0.9),
    "duplicate": (0.4, 0.15),
    "empty": (0.2, 0.4),
    "null": (0.3, 0.3),
    "huge": (0, 0.8),
    "control characters": (0, 0.8),
    "unicode digits": (0, 0.8),
    "odd quantity": (0.2, 0.4),
    "odd duration": (0.15, 0.5),
    "removed": (0.4, 0.2),
}
"""Which part of the manifests of a mutation is accepted at least, and which is refused."""


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[User]:
    """The administrator of a cluster with our definitions and nothing else of ours."""
    with local.start(tmp_path_factory.mktemp("bare") / "local", say=print) as running:
        admin = users.admin(running.kubeconfig)
        for path in sorted((files.ROOT / "crds").glob("*.yaml")):
            admin.create(yaml.safe_load(path.read_text(encoding="utf-8")))
        for kind in BASES:
            eventually(partial(listed, admin, kind.__name__), [])
        yield admin
        admin.close()


def listed(admin: User, kind: str) -> object:
    """The objects of a kind; the refusal while it is not served yet."""
    try:
        return admin.list(kind, NAMESPACE)
    except users.RefusedError as refused:
        return refused


def test_api_server_and_readers_agree(
    bare: User, pytestconfig: pytest.Config, counted: dict[str, int]
) -> None:
    seed = effort.own_seed(pytestconfig, "mutated manifests")
    content, wrong = Content(), []
    for mutant in manifest_mutations.generate(BASES, seed, COUNT):
        answer = manifest_answers.ask(bare, NAMESPACE, mutant)
        outcome = "accepted" if answer.accepted else "refused"
        with content.example():
            content.note(f"{mutant.mutation}, {outcome}")
            if not manifest_answers.agree(answer):
                content.note(excepted := exception(answer))
                if not excepted:
                    wrong.append(f"not the same: {answer.said()}")
            if not answer.accepted and not is_explained(answer):
                wrong.append(f"no path, value or remedy: {answer.said()}")
    counted["manifests with one wrong place"] = content.examples
    assert not wrong, f"{len(wrong)} with seed {seed!r}:\n" + "\n".join(wrong[:10])
    part = 1 / len(manifest_mutations.MUTATIONS)
    wanted = {
        f"{mutation}, {outcome}": part * least
        for mutation, parts in WANTED.items()
        for outcome, least in zip(("accepted", "refused"), parts, strict=True)
    }
    pinned = effort.pinned(pytestconfig)
    rare = content.rare({**wanted, **dict.fromkeys(EXCEPTIONS, 1 / 2_000)}, pinned=pinned)
    assert not rare, "\n".join(rare)


def exception(answer: Answer) -> str:
    """The name of the row that the answer falls under; empty: none."""
    return next((name for name, row in EXCEPTIONS.items() if row.holds(answer)), "")


def is_explained(answer: Answer) -> bool:
    """Whether the refusal has its path, the value and what to do."""
    if all(NO_SENTENCE.fullmatch(text) for _, text in answer.causes):
        return True
    return manifest_answers.explained(answer, by_pattern)


def test_each_mutation_states_what_becomes_of_it() -> None:
    assert WANTED.keys() == manifest_mutations.MUTATIONS.keys()
