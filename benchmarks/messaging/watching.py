"""People who watch a broker: browsers that open the pages of an operator, stay on one and poll it."""

from __future__ import annotations

import http.client
import random
import statistics
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus

PAGES = (
    *("/overview/", "/overview/?span=24h", "/overview/?span=30d"),
    *("/delayed/", "/delayed/?span=24h", "/delayed/?cause=9793"),
    *("/queues/", "/queues/?span=24h", "/service_queues/", "/mirrors/", "/connections/", "/forwarding/"),
    *("/conversations/", "/conversations/?state=CO", "/events/", "/events/?event_class=160"),
)
"""Their piece is polled."""
ANEW = "made anew"
"""Polls whose piece was made for them: the server names the ETag of what it makes, also where it is the same."""
OTHERS = ("/expiry/", "/alerts/", "/servers/", "/jobs/", "/traffic/", "/goto/?q=srv0001")
POLL_S = 3.0
THINK_S = 0.5
"""The pause between two pages of one who opens them, on average."""


@dataclass
class Times:
    """Milliseconds of each kind of answer; threads share it."""

    of: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    wrong: list[str] = field(default_factory=list)

    def p95(self, *kinds: str) -> float:
        all_of = [took for kind in kinds for took in self.of[kind]]
        few = len(all_of) < 2
        return max(all_of, default=0.0) if few else statistics.quantiles(all_of, n=20, method="inclusive")[-1]


class Watcher:
    """A browser of one person, with a connection that stays open."""

    def __init__(self, port: int, cookie: str, times: Times, seed: int) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.port, self.cookie = port, cookie
        self.times, self.random = times, random.Random(seed)

    def get(self, path: str, kind: str, headers: Mapping[str, str] | None = None) -> http.client.HTTPResponse:
        began = time.perf_counter()
        answer = self._answer(path, {"Cookie": self.cookie, **(headers or {})})
        took = (time.perf_counter() - began) * 1e3
        if kind:
            self.times.of[f"{kind} {answer.status}"].append(took)
            if kind == "page":
                self.times.of[path].append(took)
            elif "ETag" in answer.headers:
                self.times.of[f"{kind} {ANEW}"].append(took)
        return answer

    def _answer(self, path: str, headers: Mapping[str, str]) -> http.client.HTTPResponse:
        """As a browser does it: once more where the server has closed a connection that nobody used for a while."""
        for _ in range(2):
            try:
                self.connection.request("GET", path, headers=dict(headers))
                answer = self.connection.getresponse()
            except (http.client.RemoteDisconnected, ConnectionError):
                self.connection.close()
            else:
                answer.read()
                return answer
        raise ConnectionError(f"no answer for {path}")

    def other(self) -> Watcher:
        """Another browser of the same person."""
        return Watcher(self.port, self.cookie, self.times, 0)

    def is_there(self, path: str) -> bool:
        return self.get(path, "").status == HTTPStatus.OK

    def open_all(self, times: int) -> None:
        """Open each page, in an order of its own each time, with pauses."""
        for _ in range(times):
            for path in self.random.sample([*PAGES, *OTHERS], len(PAGES) + len(OTHERS)):
                answer = self.get(path, "page")
                if answer.status not in (HTTPStatus.OK, HTTPStatus.ACCEPTED):
                    self.times.wrong.append(f"{path}: {answer.status}")
                time.sleep(self.random.expovariate(1 / THINK_S))  # a person reads the page

    def stay(self, path: str, kind: str, ended: threading.Event) -> None:
        """Poll the piece of a page until the event, from a moment of its own."""
        etag, pause = "", self.random.uniform(0, POLL_S)
        while not ended.wait(pause):
            known = {"If-None-Match": etag} if etag else {}
            answer = self.get(path, kind if etag else "", {"HX-Request": "true", **known})
            etag, pause = answer.headers.get("ETag", etag), POLL_S


@contextmanager
def polling(watchers: Sequence[Watcher], kind: str) -> Iterator[None]:
    """All poll meanwhile, each the piece of another page. It begins when each has polled once, outside of the times."""
    ended = threading.Event()
    threads = [_start(watcher.stay, PAGES[number % len(PAGES)], kind, ended) for number, watcher in enumerate(watchers)]
    time.sleep(POLL_S)
    try:
        yield
    finally:
        ended.set()
        _end(threads)


def _start(work: Callable[..., None], *arguments: object) -> threading.Thread:
    thread = threading.Thread(target=work, args=arguments)
    thread.start()
    return thread


def _end(threads: Sequence[threading.Thread]) -> None:
    for thread in threads:
        thread.join()
