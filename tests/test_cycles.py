"""No module and no package imports itself by way of others; lazy imports and those for types alone count too."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from itertools import takewhile

import grimp
import pytest

Graph = Mapping[str, Iterable[str]]


def imports_of(root: str) -> dict[str, set[str]]:
    """The modules that each module imports, wherever in it the import stands."""
    graph = grimp.build_graph(root, exclude_type_checking_imports=False)
    return {module: set(graph.find_modules_directly_imported_by(module)) for module in graph.modules}


def siblings(imports: Mapping[str, Iterable[str]]) -> dict[str, dict[str, set[str]]]:
    """By package: which of its members imports which other member, itself or by a module below it."""
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for module, targets in imports.items():
        for target in targets:
            one, other = module.split("."), target.split(".")
            shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
            if shared < min(len(one), len(other)):
                found[".".join(one[:shared])][one[shared]].add(other[shared])
    return found


def cycle_in(graph: Graph) -> list[str]:
    """One cycle, from a node back to itself; empty where there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


@pytest.mark.parametrize("root", ["brokerui", "pipeline", "routing"])
def test_no_module_imports_itself(root: str) -> None:
    assert cycle_in(imports_of(root)) == []


@pytest.mark.parametrize("root", ["brokerui", "pipeline", "routing"])
def test_no_package_imports_itself(root: str) -> None:
    cycles = {package: cycle_in(members) for package, members in siblings(imports_of(root)).items()}
    assert {package: cycle for package, cycle in cycles.items() if cycle} == {}


def test_a_cycle_is_seen() -> None:
    imports = {"a.b.c": {"a.d"}, "a.d": {"a.b.e"}, "a.b.e": set[str]()}
    assert cycle_in(imports) == []
    assert cycle_in(siblings(imports)["a"]) in (["b", "d", "b"], ["d", "b", "d"])
    assert cycle_in({**imports, "a.b.e": {"a.b.c"}}) != []


def test_a_lazy_import_and_one_for_types_are_seen(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    from pathlib import Path

    folder = Path(str(tmp_path)) / "cyclic_example"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "one.py").write_text("def f():\n    from cyclic_example import two\n")
    (folder / "two.py").write_text(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from cyclic_example import one\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    assert sorted(cycle_in(imports_of("cyclic_example"))[1:]) == ["cyclic_example.one", "cyclic_example.two"]
