"""``popout serve``: the explorer, and the laboratory, in the browser."""

from __future__ import annotations

import json
from importlib.util import find_spec
from typing import Any

import click

from popout.cli import options
from popout.cli.quantities import Whole

WORDS = {
    "explorer": "Explorer",
    "outside": "From other machines",
    "lab": "Participants",
    "researcher": "Researcher",
    "data": "Data",
    "token": "Token, shown this once",
}
OPEN = """Anybody who reaches this machine can use the server; what they send travels in the open.
For people outside of your own network put a proxy with TLS before it (docs/experiments.md)."""
NEEDED = ("alembic", "fastapi", "sqlalchemy", "uvicorn")


@options.command
@options.option(
    "--experiment",
    options.FILE,
    "Design of an experiment that people take part in; again for each further study.",
    metavar="FILE.toml",
    multiple=True,
)
@options.option(
    "--data", str, "Where its data are stored. [default: FILE-data]", metavar="DIR or URL"
)
@options.option("--host", str, "Address to listen at.", "127.0.0.1")
@options.option("--port", Whole(0, 65535), "Port to listen at; 0 for any that is free.", 8000)
@click.option("--open", "open_browser", is_flag=True, help="Open the browser, too.")
@click.option("--new-token", is_flag=True, help="Make another token for the researcher.")
@options.option(
    "--workers",
    Whole(0, 64),
    "Processes that compute for the explorer, 0 for a laboratory alone. "
    "[default: one a core, 2 to 4]",
)
@options.option(
    "--arrivals",
    Whole(1, 100_000),
    "Sessions that one address may begin in a minute; more for a class.",
    10,
)
@options.option(
    "--name",
    str,
    "Name that visitors call this server by, beside its addresses; again for each.",
    metavar="HOST",
    multiple=True,
)
@click.option("--json", "as_json", is_flag=True, help="Write the addresses as a line of JSON.")
def command(as_json: bool, **settings: Any) -> None:
    """Serve the explorer and, with --experiment, the laboratory.

    The addresses are printed; Ctrl-C ends it. The researcher's token is made at the first start
    and shown once. The server listens to this machine alone unless --host says otherwise.

    Examples
    --------
    popout serve --open
    popout serve --experiment examples/experiments/set_size.toml --data search-data
    popout serve --experiment FILE.toml --data postgresql://lab@localhost/search
    """
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise click.UsageError(
            f"expected the extra for the browser, got no {', '.join(missing)}; "
            "run: pip install popout[web]"
        )
    from popout.web.http.serving import serve

    def say(addresses: dict[str, str]) -> None:
        if as_json:
            click.echo(json.dumps(addresses))
        else:
            for name, value in addresses.items():
                word, _, which = name.partition(" ")
                click.echo(f"{f'{WORDS[word]} {which}'.strip():<24}{value}")
            if "outside" in addresses:
                click.echo(OPEN)
            click.echo("Ctrl-C ends it.")

    serve(say, **settings)
    if not as_json:
        click.echo("Ended.")
