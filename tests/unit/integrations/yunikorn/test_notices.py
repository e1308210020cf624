"""Events on the ConfigMap and the namespaces report what became of their settings."""

from typing import Any

import translations
from elasticquota.integrations.yunikorn import notices
from elasticquota.integrations.yunikorn.notices import Note
from elasticquota.model.fault import Fault


QUOTA = "yunikorn.apache.org/namespace.quota"
RULES = [{"name": "tag", "value": "namespace", "create": True}]


def config(*queues: Any, **root: Any) -> Any:
    top = {"name": "root", "queues": list(queues), **root}
    return {"partitions": [{"queues": [top], "placementrules": RULES}]}


def space(name: str, quota: str) -> Any:
    return {"metadata": {"name": name, "annotations": {QUOTA: quota}}}


def test_what_is_followed_and_what_is_not_is_reported_where_it_stands() -> None:
    made = translations.of_yunikorn(config(properties={"colour": "blue"}), space("a", "{"))
    assert notices.of_followed(made, ()) == (
        Note("", "QueuesFollowed", "1 ElasticQuota follows the queues and namespaces", False),
        Note(
            "a",
            "NotTakenOver",
            f'metadata.annotations[{QUOTA}]: must be a JSON map like {{"cpu": "4"}}, got \'{{\'; '
            "left out",
            True,
        ),
        Note(
            "",
            "NotTakenOver",
            "partitions[0].queues[0].properties.colour: has no counterpart here; not taken over",
            False,
        ),
    )


def test_a_name_that_another_object_has_is_a_warning() -> None:
    made = translations.of_yunikorn(config({"name": "a"}), space("b", "{}"))
    assert notices.of_followed(made, ("root-a",))[1] == Note(
        "",
        "NameTaken",
        "root.a: cannot be the ElasticQuota 'root-a', because there is another one of its name or "
        "of one above it; rename either",
        True,
    )


def test_a_broken_configuration_is_reported_fault_by_fault() -> None:
    head = "there is a fault in queues.yaml, so all quotas stay as they are until that is mended"
    assert notices.of_broken([Fault("partitions", "must be given")]) == (
        Note("", "QueuesBroken", head, True),
        Note("", "QueuesBroken", "partitions: must be given", True),
    )
    many = notices.of_broken([Fault("", f"f{number}") for number in range(30)])
    assert many[0].text.startswith("there are 30 faults in queues.yaml")
    assert len(many) == notices.MOST + 2
    assert many[-1].text == "and 10 more"
