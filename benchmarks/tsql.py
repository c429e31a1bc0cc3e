"""T-SQL in: at least 2 MB/s, memory at most 12 times the script; a peer in the same run says what the machine is worth.

    .venv/bin/python benchmarks/tsql.py [--megabytes 10] [--hostile]

The peer is the tokenizer of sqlglot, if it is installed: it only splits text into tokens, and reads no statement.
"""

from __future__ import annotations

import argparse
import importlib
import time
import tracemalloc
from collections.abc import Callable
from datetime import UTC, datetime

from routing.tsql import ScriptGroup, read_scripts

AT = datetime(2026, 6, 1, tzinfo=UTC)
ROUTE = (
    "CREATE ROUTE [r{0}] AUTHORIZATION [dbo] WITH SERVICE_NAME = N'//company/service/{0}', "
    "BROKER_INSTANCE = N'6f3f0d5e-aaaa-4000-8000-{0:012d}', ADDRESS = N'tcp://host{0}.example:4022'\nGO\n"
)
ROW = "INSERT [dbo].[T] ([a], [b], [c]) VALUES ({0}, N'some text {0}', CAST(0x0000 AS datetime))\n"
TABLE_AND_PROCEDURE = """-- table {0}
IF NOT EXISTS (SELECT * FROM sys.tables WHERE name = 'T{0}')
CREATE TABLE [dbo].[T{0}] ([id] int IDENTITY(1, 1) NOT NULL, [name] nvarchar(100) NULL, PRIMARY KEY ([id] ASC))
GO
CREATE PROCEDURE p{0} @a int, @b nvarchar(50) AS
BEGIN
  SET NOCOUNT ON;
  SELECT t.id, t.name FROM dbo.T{0} AS t JOIN dbo.U AS u ON u.id = t.id WHERE t.name LIKE N'%x%' ORDER BY t.name
  INSERT INTO dbo.Log (at, what) VALUES (GETDATE(), 'procedure p{0} was called')
  IF @a = 1 BEGIN UPDATE dbo.T{0} SET name = @b WHERE id = @a END ELSE DELETE FROM dbo.T{0} WHERE id = @a
END
GO
"""
SCRIPTS = {"a schema dump": TABLE_AND_PROCEDURE, "rows": ROW, "routes": ROUTE}
HOSTILE: dict[str, Callable[[int], str]] = {
    "a line of 30 MB": lambda _: "x " * 15_000_000,
    "a million GOs": lambda _: "GO\n" * 1_000_000,
    "a string without end": lambda n: "SELECT '" + "x" * n,
    "a comment without end": lambda n: "/* " * (n // 3),
    "quotes, one too many": lambda n: "'a' " * (n // 4) + "'",
    "statements cut off": lambda n: "create route " * (n // 13),
    "dynamic statements": lambda n: "EXEC('" + "create route x " * (n // 15) + "')",
}


def script(pattern: str, size: int) -> str:
    """Repeat a numbered pattern up to at least a number of characters."""
    count = size // len(pattern.format(0)) + 1
    return "USE A\nGO\n" + "".join(pattern.format(number) for number in range(count))


def read(text: str) -> None:
    read_scripts([ScriptGroup("host1", None, [("benchmark.sql", text)])], at=AT)


def peer() -> Callable[[str], object] | None:
    try:
        module = importlib.import_module("sqlglot")
    except ImportError:
        return None
    tokenize: Callable[..., object] = module.tokenize
    return lambda text: tokenize(text, read="tsql")


def rate(work: Callable[[str], object], text: str) -> float:
    """Megabytes a second, the best of three."""
    seconds = []
    for _ in range(3):
        begun = time.perf_counter()
        work(text)
        seconds.append(time.perf_counter() - begun)
    return len(text) / 1e6 / min(seconds)


def memory(text: str) -> float:
    """The peak while it is read, with the text itself, in sizes of the script."""
    tracemalloc.start()
    read(text)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return 1 + most / len(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--megabytes", type=int, default=10)
    parser.add_argument("--hostile", action="store_true", help="also the scripts that were made to be slow")
    options = parser.parse_args()
    tokenize = peer()
    for name, pattern in SCRIPTS.items():
        text = script(pattern, options.megabytes * 1_000_000)
        ours = rate(read, text)
        theirs = rate(tokenize, text) if tokenize else None
        against = f"sqlglot's tokenizer {theirs:.1f} MB/s, ratio {ours / theirs:.2f}" if theirs else "no sqlglot here"
        print(f"{name:24} {ours:6.1f} MB/s  ({against}); memory {memory(text[:3_000_000]):.1f} times the script")
    for name, make in HOSTILE.items() if options.hostile else ():
        text = make(options.megabytes * 1_000_000)
        begun = time.perf_counter()
        read(text)
        seconds = time.perf_counter() - begun
        print(f"{name:24} {len(text) / 1e6:6.1f} MB in {seconds:.1f} s, {len(text) / 1e6 / seconds:.1f} MB/s")


if __name__ == "__main__":
    main()
