"""References to variables are replaced as the kubelet does it."""

import pytest

from local_cluster.process_node import expansion


VARIABLES = {"PORT": "9443", "POD_IP": "127.1.2.3", "NESTED": "$(PORT)"}


@pytest.mark.parametrize(
    ("text", "expanded"),
    [
        ("$(PORT)", "9443"),
        ("http://$(POD_IP):$(PORT)/", "http://127.1.2.3:9443/"),
        # unknown names and half references stay as written
        ("$(NOPE)", "$(NOPE)"),
        ("$PORT ${PORT} $(PORT", "$PORT ${PORT} $(PORT"),
        # two dollars are one
        ("$$(PORT)", "$(PORT)"),
        ("$$$(PORT)", "$9443"),
        ("5 $", "5 $"),
        # a value is not looked into again
        ("$(NESTED)", "$(PORT)"),
    ],
)
def test_a_reference_is_replaced_once(text: str, expanded: str) -> None:
    assert expansion.expand(text, VARIABLES) == expanded
