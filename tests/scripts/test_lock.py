"""The lock fits the declared dependencies, and names no package host."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

CHECKOUT = Path(__file__).resolve().parents[2]
LOCKS = ["requirements-bootstrap.txt", "requirements.txt", "requirements-dev.txt"]
PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def pins(lock: str) -> dict[str, str]:
    lines = (CHECKOUT / lock).read_text(encoding="utf-8").splitlines()
    requirements = [Requirement(line.rstrip(" \\")) for line in lines if line[:1].isalnum()]
    return {canonicalize_name(one.name): str(one.specifier).removeprefix("==") for one in requirements}


@pytest.mark.parametrize(
    ("lock", "declared"),
    [
        ("requirements.txt", PROJECT["dependencies"]),
        ("requirements-dev.txt", PROJECT["dependencies"] + PROJECT["optional-dependencies"]["dev"]),
    ],
)
def test_what_is_declared_is_pinned_where_it_was_asked_for(lock: str, declared: list[str]) -> None:
    pinned = pins(lock)
    for requirement in map(Requirement, declared):
        version = pinned.get(canonicalize_name(requirement.name))
        assert version is not None, f"{requirement.name} is not in {lock}: make lock"
        assert requirement.specifier.contains(version), f"{lock} has {requirement.name} {version}: make lock"


def test_tests_run_on_what_users_run() -> None:
    assert pins("requirements.txt").items() <= pins("requirements-dev.txt").items()


@pytest.mark.parametrize("lock", LOCKS)
def test_every_pin_has_a_hash_and_none_an_address(lock: str) -> None:
    text = (CHECKOUT / lock).read_text(encoding="utf-8")
    assert "://" not in text
    assert "--index-url" not in text
    for block in text.split("\n    # via"):
        assert ("==" in block) == ("--hash=sha256:" in block)
