"""The configuration in a ConfigMap: plain or zipped, and which of two counts (Y7)."""

import base64
import gzip
from typing import Any

import pytest

from elasticquota.wire.codec.metadata import ObjectMeta
from elasticquota.wire.integrations import queue_maps, queues
from elasticquota.wire.integrations.queue_maps import ConfigMapManifest, QueueMap


TEXT = "partitions: [{name: default, queues: [{name: a}]}]"


def stored(name: str = "yunikorn-configs", data: Any = None, binary: Any = None) -> QueueMap:
    return queue_maps.read(ConfigMapManifest(ObjectMeta(name=name), data, binary))


def zipped(text: str) -> str:
    return base64.b64encode(gzip.compress(text.encode())).decode()


@pytest.mark.parametrize(
    "found",
    [
        stored(data={"queues.yaml": TEXT}),
        stored(binary={"queues.yaml.gz": zipped(TEXT)}),
        stored(data={"queues.yaml": TEXT}, binary={"queues.yaml.gz": "broken"}),
    ],
)
def test_a_plain_text_and_a_zipped_one_say_the_same(found: QueueMap) -> None:
    config = queue_maps.config(found)
    assert config == queues.read({"partitions": [{"name": "default", "queues": [{"name": "a"}]}]})


@pytest.mark.parametrize(
    ("found", "fault"),
    [
        (stored(data={"queues.yaml": "a: ["}), "line 1: did not find expected node content"),
        (stored(data={"queues.yaml": "a: 1\n---\nb: 2"}), "must be one document, got 2"),
        (stored(data={"queues.yaml": 5}), "must be a text, got 5"),
    ],
)
def test_a_text_that_is_no_configuration_is_a_fault_of_the_key(found: QueueMap, fault: str) -> None:
    config = queue_maps.config(found)
    assert config is not None
    assert tuple(map(str, config.faults)) == (f"data.queues.yaml: {fault}",)


def test_what_is_zipped_and_broken_is_a_fault_of_its_key() -> None:
    config = queue_maps.config(stored(binary={"queues.yaml.gz": "x"}))
    assert config is not None
    assert tuple(map(str, config.faults)) == (
        "binaryData.queues.yaml.gz: must be a zipped text in base64",
    )


def test_the_configs_come_before_the_defaults_if_they_say_anything() -> None:
    defaults = stored("yunikorn-defaults", {"queues.yaml": TEXT})
    configs = stored(data={"queues.yaml": "partitions: []"})
    silent = stored(data={"log.level": "INFO"})
    other = stored("mine", {"queues.yaml": TEXT})
    assert queue_maps.in_force([defaults, configs]) == configs
    assert queue_maps.in_force([defaults, silent]) == defaults
    assert queue_maps.in_force([silent, other]) is None


@pytest.mark.parametrize("found", [None, stored(data={"queues.yaml": "\n# nothing\n"})])
def test_no_text_is_no_configuration(found: QueueMap | None) -> None:
    assert queue_maps.config(found) is None
