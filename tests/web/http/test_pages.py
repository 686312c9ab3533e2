"""Pages: built ones are served, others say what to do, and nothing else is handed out."""

import json
import sys
from types import SimpleNamespace

import pytest

from popout.task import InputError
from popout.web.explorer.desk import Desk
from popout.web.http import pages, serving
from popout.web.http.pages import require_pages
from popout.web.http.serving import make_app

from ..conftest import ThreadWorker, served


def test_built_pages_are_served_and_nothing_beside_them(tmp_path):
    static = tmp_path / "static"
    (static / "fonts").mkdir(parents=True)
    (static / "explorer.html").write_text("<title>Explorer</title>")
    (static / "explorer.js").write_text("1")
    (static / "fonts" / "a.woff2").write_bytes(b"font")
    (tmp_path / "secret").write_text("secret")
    with served(make_app(Desk(ThreadWorker, 1), static=static)) as client:
        assert "Explorer" in client.get("/").text
        script = client.get("/static/explorer.js")
        assert script.headers["content-type"].startswith("text/javascript")
        assert client.get("/static/fonts/a.woff2").content == b"font"
        for name in ("../secret", "%2e%2e/secret", "..%2fsecret", "/etc/passwd", "fonts", ""):
            assert client.get(f"/static/{name}").status_code == 404
        assert client.get("/lab").status_code == 404
        assert client.get("/researcher").status_code == 404


def test_without_its_pages_nothing_is_served(monkeypatch, tmp_path):
    monkeypatch.setattr(serving, "require_pages", lambda: require_pages(tmp_path))
    with pytest.raises(InputError, match="with Node 20 or newer"):
        serving.serve(pytest.fail, port=0)
    with served(make_app(Desk(ThreadWorker, 1), static=tmp_path)) as client:
        assert client.get("/").status_code == 404


@pytest.mark.parametrize("place", ["sources", "clone", "git", "index"])
def test_pages_that_are_missing_are_made_by_one_command(monkeypatch, tmp_path, place):
    """It depends on how popout was installed: from sources there is nothing to install anew."""
    clone, installed = tmp_path / "a clone", tmp_path / "lib" / "site-packages"
    (clone / "web").mkdir(parents=True)
    (clone / "web" / "package.json").touch()
    about = {
        "sources": None,
        "clone": {"url": clone.as_uri(), "dir_info": {}},
        "git": {"url": "https://example.org/p", "vcs_info": {"vcs": "git", "commit_id": "1"}},
        "index": {},
    }[place]
    known = SimpleNamespace(read_text=lambda name: about and json.dumps(about))
    monkeypatch.setattr(pages, "distribution", lambda name: known)
    home = clone / "src" if place == "sources" else installed
    with pytest.raises(InputError) as refused:
        require_pages(home / "popout" / "web" / "static")
    command = str(refused.value).partition("run: ")[2]
    build = f"cd '{clone}/web' && npm ci && npm run build"
    install = f"{sys.executable} -m pip install --force-reinstall --no-deps"
    assert (
        command
        == {
            "sources": build,
            "clone": f"{build} && {install} '{clone}'",
            "git": f"{install} --no-cache-dir git+https://example.org/p",
            "index": f"{install} --no-cache-dir popout",
        }[place]
    )
