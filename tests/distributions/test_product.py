"""A wheel of the product, installed into an empty environment and started in another folder."""

from __future__ import annotations

import re
import signal
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
from tests.brokerui.product import PROGRAMS, eventually, processes_of, running
from tests.distributions.conftest import Environment

PASSWORD = "an installed wheel"


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
def test_it_starts_and_shows_the_demo_and_the_findings(
    with_dependencies: Environment, product_wheel: Path, tmp_path: Path
) -> None:
    with_dependencies.install(product_wheel)
    elsewhere, home = tmp_path / "elsewhere", tmp_path / "home"
    elsewhere.mkdir()
    program = [str(with_dependencies.folder / "bin" / "brokerui"), "up"]
    with running(home, program=program, folder=elsewhere, BROKERUI_ADMIN_PASSWORD=PASSWORD) as product:
        assert product.printed[0].startswith("BrokerUI is ready: "), product.complained
        assert list(product.pids()) == PROGRAMS
        site = Site(f"http://127.0.0.1:{product.port}")
        site.sign_in("admin", PASSWORD)
        _shows_the_demo(site)
        _shows_findings(site)
        assert product.stop(signal.SIGINT) == 0
        eventually(lambda: not processes_of(home))
    assert list(elsewhere.iterdir()) == []


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


def test_it_runs_from_the_wheel_and_has_the_pipeline(
    with_dependencies: Environment, product_wheel: Path, tmp_path: Path
) -> None:
    with_dependencies.install(product_wheel)
    where = with_dependencies.run("import brokerui, pipeline, routing; print(brokerui.__file__, pipeline.__file__)")
    assert all(path.startswith(str(with_dependencies.site_packages)) for path in where.split())
    settings = "from pipeline.runtime.session import JAVA_OPTIONS; print(JAVA_OPTIONS[0].partition('file://')[2])"
    assert Path(with_dependencies.run(settings)).is_file()
    estate = with_dependencies.site_packages / "brokerui/_data/examples/1-default.json"
    words = ["pipeline", "route", "--estate", str(estate), "--traffic", "missing", "--out", str(tmp_path / "out")]
    program = [str(with_dependencies.folder / "bin" / "brokerui"), *words]
    result = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (4, "error: missing: is not there\n")


@pytest.mark.thorough("the same code runs from the checkout in the tests of the pipeline; a Java")
@pytest.mark.slow
def test_a_job_runs_from_the_wheel(with_dependencies: Environment, product_wheel: Path, tmp_path: Path) -> None:
    with_dependencies.install(product_wheel)
    estate = with_dependencies.site_packages / "brokerui/_data/examples/three-servers.json"
    words = ["generate", "--estate", str(estate), "--rows", "100", "--seed", "1", "--out", str(tmp_path / "out")]
    program = [str(with_dependencies.folder / "bin" / "brokerui"), "pipeline", *words, "--master", "local[1]"]
    result = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.split()[:2] == ["rows", "100"]
    assert [path.name for path in tmp_path.iterdir() if path.name != "environment"] == ["out"]
