"""Classes of Java that are kept: asked for once, and the same as before."""

from __future__ import annotations

import pytest
from py4j.java_gateway import JavaClass, JavaPackage
from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

from pipeline.runtime.java_classes import KeptClasses, kept_classes


@pytest.fixture
def java(spark: SparkSession) -> KeptClasses:
    """A view that has found nothing yet."""
    assert spark._jvm is not None
    return kept_classes(spark._jvm)


def test_a_class_and_its_methods_are_asked_for_once(java: KeptClasses) -> None:
    assert java.functions is java.functions
    assert java.functions.expr is java.functions.expr


def test_it_is_the_class_that_py4j_finds(java: KeptClasses) -> None:
    name = "java.lang.Integer"
    found = getattr(java, name)
    assert isinstance(found, JavaClass)
    assert (found.parseInt("7"), found.MAX_VALUE) == (7, 2**31 - 1)
    assert "MAX_VALUE" not in vars(found), "a field may change"


def test_a_package_and_its_classes_are_asked_for_once(java: KeptClasses) -> None:
    assert java.java.lang.Integer.parseInt("8") == 8
    assert java.java.lang is java.java.lang
    assert java.java.lang.Integer is java.java.lang.Integer


def test_a_class_that_an_archive_may_still_bring_is_asked_for_again(java: KeptClasses) -> None:
    assert isinstance(java.org.example.Later, JavaPackage)
    assert "Later" not in vars(java.org.example)
    assert "example" in vars(java.org)


def test_a_method_that_is_not_there_is_an_error(java: KeptClasses) -> None:
    with pytest.raises(Py4JError):
        _ = java.functions.there_is_no_such_method


def test_the_session_of_a_job_keeps_them(spark: SparkSession) -> None:
    assert isinstance(spark.sparkContext._jvm, KeptClasses)
