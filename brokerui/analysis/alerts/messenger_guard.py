"""Keeps a process to the network addresses that the administrator has allowed, whatever library it uses.

The process that sends to messengers (`messenger_process.py`) runs nothing else. Names are resolved once, checked, and
only addresses that were checked can be connected to: a redirect, and a name that resolves to another address by now,
are refused too. Files that are not of Python, and other programs, are out of reach: some options of a URL name files.
"""

from __future__ import annotations

import os
import socket
import sys
import threading
from collections.abc import Callable, Sequence
from ipaddress import ip_address
from typing import Any, Final

from brokerui.analysis.alerts.destinations import WebhookTarget, addresses_allowed, network_of
from routing.common.errors import Invalid
from routing.common.sentence import Sentence, say

PLAIN_PORT: Final = 80
"""Where nobody speaks TLS: an address that is allowed by its name alone is not reached there."""
CONNECTS: Final = frozenset(("socket.connect", "socket.sendto", "socket.sendmsg"))
FORBIDDEN: Final = (
    *("os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.startfile", "os.system"),
    *("subprocess.Popen", "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo"),
    *("os.chmod", "os.chown", "os.link", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.symlink"),
    *("syslog.openlog", "syslog.syslog", "ctypes.dlopen"),
)
"""Events of Python (PEP 578) of acts that no message needs."""
READABLE: Final = (
    *("/etc/ssl", "/etc/pki", "/etc/ca-certificates", "/usr/lib", "/usr/share", "/etc/localtime", "/etc/mime.types"),
    *("/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/dev/null", "/dev/urandom"),
)
Resolve = Callable[..., list[Any]]


class ForbiddenActError(PermissionError):
    """An act that is forbidden to the process."""


class NetworkGuard:
    """The addresses that may be reached: `allowed` as `ALERT_HOSTS` has them."""

    def __init__(self, allowed: Sequence[str], resolve: Resolve = socket.getaddrinfo) -> None:
        self.allowed = tuple(allowed)
        self.is_encrypted = False
        """Whether the service is spoken to with TLS: without, only networks allow an address."""
        self.refusal: Sentence | None = None
        """The first refusal of an address."""
        self._resolve = resolve
        self._checked: set[str] = set()
        self._own = threading.local()
        self._folders = tuple({os.path.realpath(one) for one in (sys.prefix, sys.base_prefix, *sys.path, *READABLE)})

    def install(self) -> None:
        """Guard the process from now on, by its resolver of names and its audit hook; a process cannot take it back."""
        socket.getaddrinfo = self.addresses
        sys.addaudithook(self.event)

    def addresses(self, host: Any, port: Any, *more: Any, **options: Any) -> list[Any]:
        """Resolve a name in place of `socket.getaddrinfo`; raises an error where an address of it is not allowed."""
        name = host.decode("ascii", "replace") if isinstance(host, bytes) else str(host or "")
        number = int(port) if str(port or "").isdecimal() else 0
        scheme = "https" if self.is_encrypted and number != PLAIN_PORT else "http"
        to = WebhookTarget(scheme, name.rstrip("."), number, "")
        self._check_name(to.host)
        self._own.resolves = True
        try:
            found = self._resolve(host, port, *more, **options)
        finally:
            self._own.resolves = False
        addresses = [str(one[4][0]) for one in found]
        try:
            addresses_allowed(to, addresses, self.allowed)
        except Invalid as fault:
            raise self._refused(fault.problem) from None
        self._checked.update(addresses)
        return found

    def event(self, name: str, arguments: tuple[Any, ...]) -> None:
        """Refuse an act of this process, before it is done."""
        if name in CONNECTS:
            self._check_address(arguments[1])
        elif name == "socket.getaddrinfo" and not getattr(self._own, "resolves", False):
            raise ForbiddenActError(name)
        elif name == "open":
            self._check_file(*arguments[:2])
        elif name in FORBIDDEN:
            raise ForbiddenActError(name)

    def _check_name(self, host: str) -> None:
        """No name is asked for that nothing allows: a question tells the server of names something, too."""
        names = {one.lower().rstrip(".") for one in self.allowed if network_of(one) is None}
        has_networks = any(network_of(one) is not None for one in self.allowed)
        if host.lower() not in names and not has_networks:
            problem = say("{host} is not allowed: an administrator of the site adds it to ALERT_HOSTS", host=host[:200])
            raise self._refused(problem)

    def _check_address(self, address: Any) -> None:
        if address is None:
            return  # of a socket that is connected
        place = str(address[0]) if isinstance(address, tuple) and address else ""
        if place not in self._checked:
            shown = place if _is_ip(place) else "?"
            raise self._refused(say("a connection to {address} is not allowed: it was not checked", address=shown))

    def _check_file(self, path: Any, mode: Any) -> None:
        if isinstance(path, int):
            return
        place = os.path.realpath(os.fsdecode(path))
        is_read = not isinstance(mode, str) or not set(mode) & set("wax+")
        if place != os.devnull and not (is_read and any(_is_within(place, one) for one in self._folders)):
            raise ForbiddenActError("open")

    def _refused(self, problem: Sentence) -> ForbiddenActError:
        self.refusal = self.refusal or problem
        return ForbiddenActError(str(problem))


def _is_within(place: str, folder: str) -> bool:
    return place == folder or place.startswith(f"{folder.rstrip('/')}/")


def _is_ip(text: str) -> bool:
    try:
        ip_address(text.partition("%")[0])
    except ValueError:
        return False
    return True
