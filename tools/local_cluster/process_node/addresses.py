"""Gives each pod a loopback address of its own, so that replicas can listen on the same port."""


def of_node(network: str) -> str:
    """The node's own address in its network."""
    return f"{network}.1"


class FullError(Exception):
    """Every address of the network belongs to a pod."""


class Addresses:
    """The addresses of one /24: ``.1`` is the node's; pods get the others, reused late."""

    def __init__(self, network: str) -> None:
        self.node = of_node(network)
        self._free = [f"{network}.{last}" for last in range(2, 255)]

    def take(self, former: str = "") -> str:
        """An address for a pod: its earlier one when that is free. Raises ``FullError``.

        So a pod keeps its address for life, also across a restart of the process node.
        """
        if not self._free:
            raise FullError("no loopback address is left for another pod")
        if former in self._free:
            self._free.remove(former)
            return former
        return self._free.pop(0)

    def give_back(self, address: str) -> None:
        """Return the address of a pod that is gone."""
        self._free.append(address)
