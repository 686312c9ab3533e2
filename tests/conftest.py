"""Fixtures that several layers share."""

from contextlib import contextmanager

import pytest


@pytest.fixture
def inside(monkeypatch):
    """Run sweeps on a Dask cluster inside this process: the same code, no time to start up."""
    from distributed import Client, LocalCluster

    @contextmanager
    def cluster(workers=None, scheduler=None):
        address = {"dashboard_address": "127.0.0.1:0"}
        settings = {"processes": False, "dashboard_address": None, "scheduler_kwargs": address}
        with (
            LocalCluster(n_workers=1, threads_per_worker=2, **settings) as local,
            Client(local, set_as_default=False) as client,
        ):
            yield client

    monkeypatch.setattr("popout.analysis.sweep.running.cluster", cluster)


@pytest.fixture
def undrawn(monkeypatch):
    """Spare the time that pictures of reports take."""
    from popout.reports.store import write_whole

    def write(draw, data, path):
        for kind in ("png", "svg"):
            write_whole(path.with_name(f"{path.name}.{kind}"), kind.encode())

    monkeypatch.setattr("popout.reports.part.write_pictures", write)
