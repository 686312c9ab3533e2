"""Pages: built ones are served, others say what to do, and nothing else is handed out."""

from popout.web.desk.desk import Desk
from popout.web.http.app import make_app

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


def test_pages_that_are_not_built_say_so(tmp_path):
    with served(make_app(Desk(ThreadWorker, 1), static=tmp_path)) as client:
        assert "npm run build" in client.get("/").text
