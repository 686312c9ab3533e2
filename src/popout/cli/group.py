"""The ``popout`` command: finding its commands, and what becomes of an error.

Commands are imported when they are run. Bad input ends with one message on stderr and
exit code 2, an interrupt with 130; neither shows a traceback. A reader that goes away, as in
``popout compare ... | head -1``, ends the program without a word. A traceback is a bug in `popout`.
"""

from __future__ import annotations

import errno
import os
import re
import sys
from importlib import import_module
from typing import Any

import click

import popout as po
from popout.cli.interrupts import interrupts_are_heard

HEAD = re.compile(r'"""``popout (\w+)[^`]*``: (.*?\.)')


def _commands() -> dict[str, str]:
    """Return every command with what it does: the first line of the module of its name.

    ``command`` in that module is a `click.Command`; it is imported when it is run.
    """
    folder = os.path.dirname(__file__)
    heads = {}
    for name in sorted(os.listdir(folder)):
        if name.endswith(".py"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                if head := HEAD.match(file.readline()):
                    heads[head[1]] = f"{head[2][0].upper()}{head[2][1:]}"
    return heads


COMMANDS = _commands()
WORDS = "popout.words"
"""Where a context keeps what was typed."""
APART = re.compile(r"(--[a-z-]+)((?: [-+.e\d]+,?){2,})(?= |$)")
"""An option that several numbers follow, which should be one word."""
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
INTERRUPTED = 130  # 128 + SIGINT, what a shell reports for an interrupted program


class _InputFault(click.ClickException):
    """Bad input found by the library, reported as click reports its own."""

    exit_code = 2


class LazyGroup(click.Group):
    """A group whose commands are imported on demand; `add_command` and `command` add others."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the commands of this folder, and after them those of others."""
        return [*COMMANDS, *self.commands]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Import one command, or return None for an unknown name."""
        if name not in COMMANDS:
            return self.commands.get(name)
        command: click.Command = import_module(f"popout.cli.{name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table of commands, without loading them."""
        added = {name: command.get_short_help_str() for name, command in self.commands.items()}
        with formatter.section("Commands"):
            formatter.write_dl(list((COMMANDS | added).items()))

    def main(self, *args: Any, **settings: Any) -> Any:
        """Run the program; a full disk under stdout or an output file is a message, too."""
        try:
            with interrupts_are_heard():
                return super().main(*args, **settings)
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            if sys.stdout is not None:
                # Python flushes once more at its end; let that go nowhere.
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            fault = f"expected room for the result, got {error.strerror!r}; free some space"
            click.echo(f"Error: output: {fault}", err=True)
            sys.exit(_InputFault.exit_code)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that is named; an unknown one gets a suggestion."""
        name = args[0]
        known = self.get_command(ctx, name) or ctx.resilient_parsing or name.startswith("-")
        if not known:
            from popout.task.faults import did_you_mean, show

            names = self.list_commands(ctx)
            remedy = did_you_mean(name, names, "`popout --help` explains them")
            ctx.fail(f"command: expected one of {', '.join(names)}, got {show(name)}; {remedy}")
        ctx.meta[WORDS] = args
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; turn the errors a user can cause into messages and exit codes."""
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            apart = APART.search(" ".join(ctx.meta.get(WORDS, ())))
            if apart is None:
                raise
            joined = f"{apart[1]} {','.join(apart[2].replace(',', ' ').split())}"
            wrong = f"{error.format_message().rstrip('.')}; numbers of one option are joined by "
            raise click.UsageError(f"{wrong}commas, write {joined}", error.ctx) from None
        except MemoryError as error:
            raise _InputFault(
                "memory: expected a job that fits into memory, got one that does not; "
                "ask for fewer locations, trials or grid points"
            ) from error
        except OSError as error:
            if error.filename is None or error.errno in NO_ROOM:
                raise
            where = os.fsdecode(error.filename)
            raise _InputFault(
                f"{where}: expected a place that can be read or written, got {error.strerror!r}; "
                "check the path"
            ) from error
        except ValueError as error:
            # Looked up only now that something failed: the name loads the task layer.
            if not isinstance(error, po.InputError):
                raise
            from popout.cli.options import in_options

            command = self.get_command(ctx, ctx.invoked_subcommand or "")
            words = str(error) if command is None else in_options(error, command)
            raise _InputFault(words) from error
        except KeyboardInterrupt:
            click.echo("Interrupted.", err=True)
            ctx.exit(INTERRUPTED)


START = """\
popout: ideal observers for visual search, for vision scientists who design
search experiments and model response times.

The best anyone could do, for a target at one of two locations, drift 4 per
second, where a second costs as much as 0.2 errors:

    popout solve --drift 4 --locations 2 --time-cost 0.2

What that looks like in an experiment, and what simpler strategies lose:

    popout simulate --strategy optimal --drift 4 --locations 2 --time-cost 0.2
    popout compare --drift 4 --locations 2 --time-cost 0.2

Your own task, in a file such as search.toml, in a report or in a table:

    kind = "search"
    n_locations = 8
    drift = 4.0

    [costs]
    time = 0.2

    popout analyse search.toml --out report
    popout evidence search.toml

Trials of your observers, described and then fitted:

    popout describe DATA.csv
    popout fit DATA.csv --out results

The figures and claims of the paper, computed and drawn into results/:

    popout reproduce

`popout --help` lists every command, `popout solve --help` explains one."""


@click.group(
    name="popout",
    cls=LazyGroup,
    invoke_without_command=True,
    epilog="`popout` alone says what to do first, `popout solve --help` explains a command.",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(po.__version__, prog_name="popout")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Ideal observers for visual search."""
    if ctx.invoked_subcommand is None:
        click.echo(START)
