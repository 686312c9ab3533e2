"""A strategy in one file: SPRT that waits for stronger evidence of absence than of presence."""

from dataclasses import replace

from popout.policies.stopping import SPRT, Parameter, Recipe, Tunable


class Patient(Recipe):
    """SPRT whose lower threshold is `patience` times that of discrimination."""

    name = "patient"

    @classmethod
    def tunable(cls, task, tau_minus, tau_plus):
        """Say what `popout.tune` may choose."""
        return Tunable((Parameter("patience", 1.0, 0.2, 5.0, scale=0.3, logarithmic=True),))

    @classmethod
    def for_task(cls, task, tau_minus, tau_plus, *, patience=1.0):
        """Return the strategy for a task."""
        own = SPRT.for_task(task, tau_minus, tau_plus)
        return replace(own, tau_minus=patience * own.tau_minus, label="patient SPRT")
