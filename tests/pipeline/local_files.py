"""Hadoop's files of this machine for tests: permissions are set by Java itself. Hadoop starts the program `chmod` for
each file and each folder, two hundred times in a run of telemetry, which was a tenth of its work."""

from __future__ import annotations

from typing import Any, Final

from pyspark.sql import SparkSession

NAME: Final = "FilesOfThisMachine"
SOURCE: Final = f"""
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;

public class {NAME} extends org.apache.hadoop.fs.RawLocalFileSystem {{
    public void setPermission(
        org.apache.hadoop.fs.Path path, org.apache.hadoop.fs.permission.FsPermission permission
    ) throws java.io.IOException {{
        String text = permission.getUserAction().SYMBOL
            + permission.getGroupAction().SYMBOL + permission.getOtherAction().SYMBOL;
        Files.setPosixFilePermissions(pathToFile(path).toPath(), PosixFilePermissions.fromString(text));
    }}
}}
"""
"""Compiled by the compiler that Spark brings for its own plans."""


def set_permissions_without_programs(spark: SparkSession) -> None:
    """Give Hadoop this file system for `file:`, with checksums as its own has them."""
    java: Any = spark._jvm
    gateway: Any = spark._sc._gateway
    compiler = java.org.codehaus.janino.SimpleCompiler()
    compiler.cook(SOURCE)
    raw = _new(gateway, compiler.getClassLoader().loadClass(NAME))
    configuration, root = spark._jsc.hadoopConfiguration(), java.java.net.URI.create("file:///")
    files = java.org.apache.hadoop.fs.LocalFileSystem(raw)
    files.initialize(root, configuration)
    _call_static(gateway, "org.apache.hadoop.fs.FileSystem", "addFileSystemForTesting", (root, configuration, files))


def _new(gateway: Any, kind: Any) -> Any:
    return kind.getConstructor(gateway.new_array(gateway.jvm.Class, 0)).newInstance(
        gateway.new_array(gateway.jvm.Object, 0)
    )


def _call_static(gateway: Any, of: str, name: str, arguments: tuple[Any, ...]) -> None:
    """Call a method that only classes of its package see: the one with this name."""
    (method,) = (one for one in gateway.jvm.Class.forName(of).getDeclaredMethods() if one.getName() == name)
    method.setAccessible(True)
    values = gateway.new_array(gateway.jvm.Object, len(arguments))
    for place, value in enumerate(arguments):
        values[place] = value
    method.invoke(None, values)
