"""``popout completion``: the script with which a shell completes commands, options and names."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from popout.cli.names import Name
from popout.cli.options import json_option
from popout.cli.output import write_json


@click.command(
    "completion",
    epilog="""\b
Examples:
  popout completion bash >> ~/.bashrc
  popout completion zsh >> ~/.zshrc
  popout completion fish > ~/.config/fish/completions/popout.fish""",
)
@click.argument("shell", type=Name("shell", ("bash", "zsh", "fish")))
@json_option
@click.pass_context
def command(ctx: click.Context, shell: str, as_json: bool) -> None:
    """Print the completion script of a shell: bash, zsh or fish.

    Open a new shell afterwards. The tab key then completes commands, options, strategies, figures
    and files.
    """
    made = get_completion_class(shell)
    assert made is not None
    script = made(ctx.find_root().command, {}, "popout", "_POPOUT_COMPLETE").source().strip()
    if as_json:
        write_json({"shell": shell, "script": script})
    else:
        click.echo(script)
