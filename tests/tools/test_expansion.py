"""References to variables are replaced as the kubelet does it."""

import pytest

from local_cluster.process_node import expansion


VARIABLES = {"PORT": "9443", "POD_IP": "127.1.2.3", "NESTED": "$(PORT)"}


@pytest.mark.parametrize(
    ("text", "expanded"),
    [
        ("$(PORT)", "9443"),
        ("http://$(POD_IP):$(PORT)/", "http://127.1.2.3:9443/"),
        # Unknown names and incomplete references stay as written.
        ("$(NOPE)", "$(NOPE)"),
        ("$PORT ${PORT} $(PORT", "$PORT ${PORT} $(PORT"),
        # Two dollars become one.
        ("$$(PORT)", "$(PORT)"),
        ("$$$(PORT)", "$9443"),
        ("5 $", "5 $"),
        # A value is not expanded again.
        ("$(NESTED)", "$(PORT)"),
    ],
)
def test_a_reference_is_replaced_once(text: str, expanded: str) -> None:
    assert expansion.expand(text, VARIABLES) == expanded
