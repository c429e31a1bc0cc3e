"""One product with all its processes that hosts every staged cause at once, each instance at a loopback address."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

import requests

from tests.brokerui.homes import ADMIN_PASSWORD
from tests.brokerui.messaging.endpoint.certificates import Authority
from tests.brokerui.product import Product, done, eventually, free_port

LOCAL: Final = {"name": "AutoCreatedLocal", "address": "LOCAL"}
HOSTS: Final = {"A": 1, "B": 2, "S": 3, "F": 4, "M": 5, "N": 6, "D": 7}
"""The last number of the loopback address at which each instance listens."""
CAUSES: Final = ("clock", "back", "port", "stopped", "poison", "contract", "forwarder", "mirror", "leak")
"""Databases of `A`, each with a service that sends for its cause; `D` sends for `certificate`."""
PAIR: Final = "6f3f0d5e-0000-4000-8000-0000000000aa"
CAUSE_SECONDS: Final = 60
"""Far more than two attempts take."""
Fields = dict[str, str]


@dataclass
class Stage:
    """Processes of a running product, with a signed-in client of an administrator."""

    product: Product
    ports: dict[str, int]
    browser: requests.Session
    authority: Authority

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.product.port}{path}"

    def api(self, path: str, body: Any = None) -> Any:
        token = {"X-CSRFToken": self.browser.cookies["csrftoken"], "Referer": self.url("/")}
        where = self.url(f"/api/v1/{path}")
        answer = self.browser.get(where) if body is None else self.browser.post(where, json=body, headers=token)
        assert answer.ok, answer.text
        return answer.json()

    def press(self, path: str, fields: Fields) -> requests.Response:
        """Send a form as a page does; where it answers that something gets worse, confirm that it was seen."""
        more = {"csrfmiddlewaretoken": self.browser.cookies["csrftoken"]}
        answer = self.browser.post(self.url(path), {**fields, **more}, headers={"Referer": self.url("/")})
        consent = re.search(r'name="consent" value="([^"]+)"', answer.text) if answer.status_code == 422 else None
        if consent:
            return self.press(path, {**fields, "consent": consent[1]})
        assert answer.ok, (path, answer.status_code, answer.text[-3000:])
        return answer

    def causes(self) -> list[dict[str, Any]]:
        return list(self.api("overview/")["causes"])

    def cause(self, title: str) -> dict[str, Any]:
        """The cause once it is there and its looks, too."""
        seen: list[dict[str, Any]] = []

        def look() -> dict[str, Any] | None:
            seen[:] = self.causes()
            return next((one for one in seen if one["cause"] == title), None)

        try:
            found: dict[str, Any] = eventually(look, CAUSE_SECONDS)
        except AssertionError:
            raise AssertionError((title, [(one["cause"], one["sentence"]) for one in seen])) from None
        return found

    def waiting(self, service: str) -> int:
        """Messages that wait for a service in any transmission queue."""
        return sum(row["to_service_name"] == service for row in self.rows("transmission_queue"))

    def rows(self, view: str) -> list[dict[str, Any]]:
        return list(self.api(f"sys/{view}/?limit=1000")["results"])

    def drains(self, service: str) -> None:
        eventually(lambda: not self.waiting(service))

    def draft_and_apply(self, cause: dict[str, Any]) -> None:
        """Press the button of the cause on *Overview*, then that of the draft."""
        effect = self.press("/changes/remedy/", {"remedy": eventually(lambda: self._button(cause), CAUSE_SECONDS)})
        number = re.search(r"/changes/(\d+)/", effect.url)
        assert number, effect.url
        self.press(f"/changes/{number[1]}/apply/", {"revision": "1"})

    def _button(self, cause: dict[str, Any]) -> str:
        """The value of the button of a cause; empty where remedies are still being tried."""
        page = self.browser.get(self.url("/overview/")).text
        values = [html.unescape(one) for one in re.findall(r'name="remedy" value="([^"]*)"', page)]
        return next((one for one in values if json.loads(one)["sql"] == cause["remedy_sql"]), "")

    def retry(self, instance: str, database: str, service: str) -> None:
        self.press("/delayed/retry/", {"instance": instance, "database": database, "service": service})

    def send(self, *causes: str) -> dict[str, str]:
        """A message for each of these causes; the handles of their conversations."""
        found = {}
        for cause in causes:
            instance, database = ("D", "one") if cause == "certificate" else ("A", cause)
            begun = self.api(
                "dialogs/",
                {
                    "instance": instance,
                    "database": database,
                    "from_service": f"From_{cause}",
                    "to_service": f"To_{cause}",
                    "encryption": False,
                },
            )
            found[cause] = begun["conversation_handle"]
            self.api(f"dialogs/{found[cause]}/messages/", {"message_body": "b3JkZXI="})
        return found

    def certify(self, *names: str) -> None:
        """Give the endpoint a certificate for these instances, and kill it: it comes back with that one."""
        certify(self.authority, names)
        killed = self.product.pids()["endpoint"]
        os.kill(killed, signal.SIGKILL)
        eventually(lambda: self.product.pids().get("endpoint", killed) != killed)


def certify(authority: Authority, names: Sequence[str], begins: timedelta = timedelta(days=-30)) -> None:
    """Write the certificate that the endpoint reads at its start."""
    places = [f"127.0.0.{number}" for number in HOSTS.values()]
    files = authority.files("endpoint", 90, places, names=names, begins=begins)
    used = authority.folder / "used.pem"
    for made, target in zip(files, (used, used.with_suffix(".key")), strict=True):
        shutil.copyfile(made, target)
        target.chmod(0o600)


def settings(authority: Authority) -> dict[str, str]:
    """Of a product whose endpoint speaks TLS."""
    certificate = authority.folder / "used.pem"
    return {
        "DEMO": "0",
        "API_RATE_USER": "100000/min",
        "ENDPOINT_CERTIFICATE": str(certificate),
        "ENDPOINT_KEY": str(certificate.with_suffix(".key")),
        "ENDPOINT_AUTHORITY": str(authority.path),
    }


def signed_in(product: Product) -> requests.Session:
    """A browser of the first user."""
    browser, url = requests.Session(), f"http://127.0.0.1:{product.port}/account/login/"
    browser.get(url)
    fields = {"username": "admin", "password": ADMIN_PASSWORD, "csrfmiddlewaretoken": browser.cookies["csrftoken"]}
    answer = browser.post(url, fields, headers={"Referer": url})
    assert answer.ok
    assert "sessionid" in browser.cookies, answer.text
    return browser


def host_all(product: Product) -> dict[str, int]:
    """Import the estate with all its faults, and host its instances; the port of each."""
    ports = {name: free_port() for name in HOSTS}
    file = product.home / "staged.json"
    file.write_text(json.dumps(_document(ports, free_port())))
    hosts = [("host", name, "--listen", _address(name, ports)) for name in HOSTS]
    stop = ("estate", "import", str(file))  # once more: to host an instance starts its endpoint
    done(product.home, ("estate", "import", str(file)), *hosts, stop)
    return ports


def _address(name: str, ports: dict[str, int]) -> str:
    return f"tcp://127.0.0.{HOSTS[name]}:{ports[name]}"


def _document(ports: dict[str, int], closed: int) -> dict[str, Any]:
    """The estate: each fault is one thing that is left out or wrong."""
    where = {name: _address(name, ports) for name in HOSTS}
    to = {"port": f"tcp://127.0.0.2:{closed}", "stopped": where["S"], "forwarder": where["F"], "mirror": where["M"]}
    senders = [_sender(cause, {"address": to.get(cause, where["B"])}) for cause in CAUSES]
    mirrored = next(one for one in senders if one["name"] == "mirror")
    mirrored["routes"][1] |= {"broker_instance": PAIR, "mirror_address": where["N"]}
    back = [{"name": f"r_{one}", "remote_service_name": f"From_{one}", "address": where["A"]} for one in CAUSES]
    certificate = {"name": "r", "remote_service_name": "From_certificate", "address": where["D"]}
    held = [one for one in CAUSES if one not in ("stopped", "mirror")]
    target = _target("two", (*held, "certificate"), [one for one in back if one["name"] != "r_back"] + [certificate])
    _accept_another_contract(target, "To_contract")
    pair = {**_target("pair", ("mirror",), back), "broker_instance": PAIR}
    stopped = {"state": "STOPPED"}
    return {
        "format": "brokerui.estate/1",
        "instances": [
            _instance("A", where, *senders),
            _instance("B", where, target),
            _instance("S", where, _target("three", ("stopped",), back)) | {"endpoint": {"port": ports["S"], **stopped}},
            _instance("F", where) | {"forwarding": True},
            _instance("M", where, {**pair, "mirroring_role": "PRINCIPAL"})
            | {"endpoint": {"port": ports["M"], **stopped}},
            _instance("N", where, {**pair, "mirroring_role": "MIRROR"}),
            _instance("D", where, {**_sender("certificate", {"address": where["B"]}), "name": "one"}),
        ],
    }


def _instance(name: str, where: dict[str, str], *databases: dict[str, Any]) -> dict[str, Any]:
    msdb = {"name": "msdb", "routes": [LOCAL]}
    return {"name": name, "addresses": [where[name]], "databases": [*databases, msdb]}


def _sender(cause: str, leads: dict[str, str]) -> dict[str, Any]:
    return {
        "name": cause,
        "services": [{"name": f"From_{cause}", "queue": "FromQ"}],
        "routes": [LOCAL, {"name": "to", "remote_service_name": f"To_{cause}", **leads}],
    }


def _target(name: str, causes: tuple[str, ...], back: list[dict[str, Any]]) -> dict[str, Any]:
    services = [{"name": f"To_{one}", "queue": f"Q_{one}", "contracts": ["DEFAULT"]} for one in causes]
    return {"name": name, "services": services, "routes": [LOCAL, *back]}


def _accept_another_contract(target: dict[str, Any], service: str) -> None:
    next(one for one in target["services"] if one["name"] == service)["contracts"] = ["//parts/Order"]
    target["contracts"] = [{"name": "//parts/Order", "messages": [{"message_type": "DEFAULT", "sent_by": "ANY"}]}]
