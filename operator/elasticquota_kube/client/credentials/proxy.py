"""Chooses the proxy to the API server as client-go does, from the kubeconfig or the environment.

``HTTPS_PROXY`` (``HTTP_PROXY`` for plain HTTP) counts unless ``NO_PROXY`` matches the server: by
name (with all names below it), by address, by range of addresses, each with or without a port, or
by ``*``. Requests to this machine itself never use a proxy.
"""

import ipaddress
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit


_PORTS: Final = {"http": 80, "https": 443}


Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def of(server: str, environment: Mapping[str, str], named: str | None = None) -> str | None:
    """The proxy's URL, or None; ``named`` is the kubeconfig's proxy, which takes precedence.

    Raises ``ValueError`` for a proxy that is not supported.
    """
    chosen = named or _from_environment(server, environment)
    if not chosen:
        return None
    text = chosen if "://" in chosen else f"http://{chosen}"
    proxy = urlsplit(text)
    if proxy.scheme not in _PORTS or not proxy.hostname:
        shown = proxy._replace(netloc=proxy.netloc.rpartition("@")[2]).geturl()
        raise ValueError(f"the proxy {shown} cannot be used: only http:// and https:// can")
    return text


def _from_environment(server: str, environment: Mapping[str, str]) -> str:
    def said(name: str) -> str:
        return environment.get(name, "") or environment.get(name.lower(), "")

    url = urlsplit(server)
    host, port = url.hostname or "", str(url.port or _PORTS.get(url.scheme) or "")
    address = _address(host)
    if host == "localhost" or (address is not None and address.is_loopback):
        return ""
    rules = [rule.strip().lower() for rule in said("NO_PROXY").split(",")]
    if any(rule and _names(rule, host, port, address) for rule in rules):
        return ""
    return said(f"{url.scheme.upper()}_PROXY")


def _names(rule: str, host: str, port: str, address: Address | None) -> bool:
    if rule == "*":
        return True
    if "/" in rule:
        return address is not None and _covers(rule, address)
    name, wanted = _parted(rule)
    if wanted and wanted != port:
        return False
    if (single := _address(name)) is not None:
        return single == address
    name = name.removeprefix("*")
    return host.endswith(f".{name.lstrip('.')}") or host == name


def _parted(rule: str) -> tuple[str, str]:
    """Name or address, and the port or an empty text."""
    if rule.startswith("["):
        name, _, port = rule[1:].partition("]")
        return name, port.removeprefix(":")
    if rule.count(":") == 1:
        name, _, port = rule.partition(":")
        return name, port
    return rule, ""


def _covers(rule: str, address: Address) -> bool:
    try:
        return address in ipaddress.ip_network(rule, strict=False)
    except ValueError:
        return False


def _address(text: str) -> Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None
