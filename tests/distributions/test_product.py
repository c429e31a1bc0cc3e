"""A wheel of the product, installed into an empty environment and started in another folder."""

from __future__ import annotations

import re
import signal
import stat
import subprocess
import urllib.error
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.parse import urlencode
from zipfile import ZipFile

import pytest

from brokerui.core.home import CHECKOUT
from brokerui.core.resources import FOLDERS
from tests.brokerui.product import (
    PROGRAMS,
    Product,
    command,
    eventually,
    free_port,
    processes_of,
    running,
    start,
)
from tests.distributions.conftest import Environment, empty, with_dependencies_of_ours

LOGIN = re.compile(r"sign in as admin with (\S+) \(shown once; change it under your name\)\n")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory, product_wheel: Path) -> Environment:
    """An environment with the wheel and what it depends on, in which no test installs anything more."""
    environment = with_dependencies_of_ours(empty(tmp_path_factory.mktemp("installed")))
    environment.install(product_wheel)
    return environment


class Site:
    """A browser without scripts: it keeps cookies and signs in."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))

    def get(self, path: str, form: dict[str, str] | None = None) -> str:
        data = urlencode(form).encode() if form else None
        with self._opener.open(self._address + path, data, timeout=60) as response:
            return str(response.read().decode())

    def sign_in(self, name: str, password: str) -> None:
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', self.get("/account/login/"))
        assert token
        form = {"csrfmiddlewaretoken": token[1], "username": name, "password": password}
        assert "Sign out" in self.get("/account/login/", form)


def test_the_wheel_has_every_resource_and_no_test(product_wheel: Path) -> None:
    names = set(ZipFile(product_wheel).namelist())
    for folder in FOLDERS:
        files = {path.relative_to(CHECKOUT).as_posix() for path in (CHECKOUT / folder).rglob("*") if path.is_file()}
        assert files
        assert {f"brokerui/_data/{file}" for file in files} <= names
    assert "pipeline/runtime/log4j2.properties" in names
    assert not {name for name in names if name.startswith(("tests/", "benchmarks/", "scripts/", "_brokerui_client/"))}


@pytest.mark.slow
def test_a_first_start_says_the_login_once_and_shows_the_demo_and_a_second_keeps_all(
    installed: Environment, tmp_path: Path
) -> None:
    elsewhere, home, port = tmp_path / "elsewhere", tmp_path / "new" / "home", free_port()
    elsewhere.mkdir()
    program = [str(installed.folder / "bin" / "brokerui"), "up"]
    with running(home, port, program, elsewhere) as product:
        login = eventually(lambda: len(product.printed) == 2 and LOGIN.fullmatch(product.printed[1]))
        assert product.printed[0] == f"BrokerUI is ready: http://127.0.0.1:{port}/  (Ctrl-C stops it)\n"
        assert list(product.pids()) == PROGRAMS
        _serves_fingerprinted_files(product)
        site = Site(f"http://127.0.0.1:{product.port}")
        site.sign_in("admin", login[1])
        _shows_the_demo(site)
        _shows_findings(site)
        assert product.status_once_well()["live_version"] == 1, "the demo"
        assert product.stop(signal.SIGINT) == 0
        eventually(lambda: not processes_of(home))
        assert product.complained == []
    assert readable_by_others(home) == []
    assert (home / "brokerui.sqlite3").read_bytes()[18:20] == b"\x02\x02", "the header of a WAL database"
    assert login[1] not in written(home)
    collected = collected_at(home)
    with running(home, port, program, elsewhere) as product:
        assert product.get("/healthz")[0] == 200
        _is_refused_beside(product)
        assert product.get("/readyz")[0] == 200, "the refused one broke nothing"
        assert product.stop(signal.SIGHUP) == 0
        assert len(product.printed) == 1, "only the address"
    assert collected_at(home) == collected, "a start that has nothing to prepare prepares nothing"
    assert "Traceback" not in written(home)
    assert command(home, "status").returncode == 1, "nothing runs any more"
    assert list(elsewhere.iterdir()) == []


def written(home: Path) -> str:
    """All that a start leaves for others to read."""
    files = [*home.glob("log/*"), *home.glob("run/*")]
    return "\n".join(file.read_text(errors="replace") for file in files)


def collected_at(home: Path) -> set[int]:
    """When the files that are served were written."""
    return {file.stat().st_mtime_ns for file in (home / "static").rglob("*") if file.is_file()}


def readable_by_others(home: Path) -> list[Path]:
    """Return the home or its files that other users can read, except the static files, which are public."""
    ours = [path for path in (home, *home.rglob("*")) if "static" not in path.relative_to(home).parts]
    return [path for path in ours if stat.S_IMODE(path.lstat().st_mode) & 0o077]


def _serves_fingerprinted_files(product: Product) -> None:
    status, _, page = product.get("/account/login/")
    assert status == 200
    style = page.decode().split('rel="stylesheet" href="')[1].split('"')[0]
    assert style != "/static/css/tokens.css", "its name has a hash of its content"
    status, cache, _ = product.get(style)
    assert (status, "immutable" in cache) == (200, True)


def _is_refused_beside(product: Product) -> None:
    """Another start in the same home."""
    refused = start(product.home, PORT=str(free_port()))
    assert refused.returncode == 1
    assert refused.stderr == (
        f"error: BrokerUI runs in {product.home} already, as process {product.process.pid}: "
        f"http://127.0.0.1:{product.port}/; BROKERUI_HOME=… chooses another home\n"
    )


def _shows_the_demo(site: Site) -> None:
    page = site.get("/routes/")
    assert all(name in page for name in ("shop", "depot", "office")), "the instances of the example"
    assert site.get("/scenarios/1-default/document.json") == (CHECKOUT / "examples/1-default.json").read_text()
    styles = re.findall(r'href="(/static/css/[^"]+\.css)"', page)
    assert styles
    assert all("{" in site.get(path) for path in styles)


def _shows_findings(site: Site) -> None:
    assert "<h1" in site.get("/findings/")
    explained = site.get("/findings/route-expired/")
    title, *_ = (CHECKOUT / "docs/reference/findings/route-expired.md").read_text().splitlines()
    assert title.removeprefix("# ").strip() in explained
    with pytest.raises(urllib.error.HTTPError, match="404"):
        site.get("/findings/no-such-code/")


def test_it_runs_from_the_wheel_and_has_the_pipeline(installed: Environment, tmp_path: Path) -> None:
    where = installed.run("import brokerui, pipeline, routing; print(brokerui.__file__, pipeline.__file__)")
    assert all(path.startswith(str(installed.site_packages)) for path in where.split())
    settings = "from pipeline.runtime.session import JAVA_OPTIONS; print(JAVA_OPTIONS[0].partition('file://')[2])"
    assert Path(installed.run(settings)).is_file()
    estate = installed.site_packages / "brokerui/_data/examples/1-default.json"
    words = ["pipeline", "route", "--estate", str(estate), "--traffic", "missing", "--out", str(tmp_path / "out")]
    program = [str(installed.folder / "bin" / "brokerui"), *words]
    result = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (4, "error: missing: is not there\n")


@pytest.mark.thorough("the same code runs from the checkout in the tests of the pipeline; a Java")
@pytest.mark.slow
def test_a_job_runs_from_the_wheel(installed: Environment, tmp_path: Path) -> None:
    estate = installed.site_packages / "brokerui/_data/examples/three-servers.json"
    words = ["generate", "--estate", str(estate), "--rows", "100", "--seed", "1", "--out", str(tmp_path / "out")]
    program = [str(installed.folder / "bin" / "brokerui"), "pipeline", *words, "--master", "local[1]"]
    result = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.split()[:2] == ["rows", "100"]
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
