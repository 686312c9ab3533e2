"""The application as a whole."""

import threading

from ..lab.sessions import Page


def test_without_an_experiment_there_is_no_laboratory(client):
    assert client.get("/api/v1/health").json()["experiment"] is False
    assert client.get("/api/v1/lab/design").status_code == 404


def test_health_says_what_is_served(lab_client):
    said = lab_client.get("/api/v1/health").json()
    assert said["experiment"] is True
    assert said["workers"] == 1
    assert lab_client.get("/lab").status_code == 200


def test_many_participants_at_once(lab_client):
    """Twenty at a time, each trial in a request of its own: all stored, each once."""
    pages = [Page(lab_client) for _ in range(20)]
    failures = []

    def take_part(page):
        for trial in page.trials:
            if page.send([trial]).status_code != 200:
                failures.append(page.name)
        if page.post("finish").status_code != 200:
            failures.append(page.name)

    threads = [threading.Thread(target=take_part, args=[page]) for page in pages]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
