"""A command in one file: ``python wait.py wait --drift 4``, beside all commands of popout."""

import click

import popout as po
from popout.cli import options
from popout.cli.group import main
from popout.cli.output import show


@main.command("wait", short_help="Simulate an observer of two thresholds.")
@click.option("--drift", type=float, required=True, help="Drift of the target (nats/s).")
@options.trials("--trials", 1000, "Trials.")
@options.as_json
def wait(drift, trials, as_json):
    """Simulate SPRT with thresholds of two nats at one location."""
    task = po.SearchTask(n_locations=1, drift=drift)
    show(po.simulate(task, po.SPRT.for_task(task, -2.0, 2.0), trials), as_json)


if __name__ == "__main__":
    main()
