"""A store for Spark itself, on a cluster too: its renames are no moment, and its listings are late.

`LateStore.java` is compiled by the compiler that Spark has for its own queries, and goes to each Java as a jar.
"""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession

SOURCE = Path(__file__).with_name("LateStore.java")
NAME = "late.LateStore"


@dataclass(frozen=True)
class LateStore:
    """Objects below a folder of this machine."""

    jar: Path
    root: Path

    def settings(self) -> dict[str, str]:
        """Return the settings of Spark for a job that reads and writes `late://`."""
        return {
            "spark.driver.extraClassPath": str(self.jar),
            "spark.executor.extraClassPath": str(self.jar),
            "spark.hadoop.fs.late.impl": NAME,
            "spark.hadoop.fs.late.root": str(self.root),
        }

    def url(self, folder: Path) -> str:
        """Return the URL of a folder below its root."""
        return f"late://store/{folder.relative_to(self.root).as_posix()}"


def compiled(spark: SparkSession, jar: Path) -> Path:
    """Write the jar with the classes of the store."""
    java = spark._jvm
    assert java is not None
    compiler = java.org.codehaus.janino.SimpleCompiler()
    compiler.cook(SOURCE.read_text(encoding="utf-8"))
    with zipfile.ZipFile(jar, "w") as archive:
        for name, content in dict(compiler.getBytecodes()).items():
            archive.writestr(f"{name.replace('.', '/')}.class", bytes(content))
    return jar
