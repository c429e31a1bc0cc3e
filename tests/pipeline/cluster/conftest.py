"""One cluster for all tests of the folder: its Javas take longer to start than a job to run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.pipeline.cluster.machines import Cluster, running_cluster


@pytest.fixture(scope="package")
def a_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with running_cluster(tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster


@pytest.fixture
def cluster(a_cluster: Cluster) -> Cluster:
    """With both of its workers, whatever the test before has killed."""
    a_cluster.be_whole()
    return a_cluster
