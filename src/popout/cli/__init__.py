"""The command line: it parses, calls and prints; no science lives here.

A command is one module, whose first line says what it does. Command modules import `click`,
`popout` (whose names load on first use) and the helpers of this package, nothing heavier, so that
``popout --help`` starts at once.

==================  ===============================================================================
`group`             the ``popout`` command, its commands, errors and exit codes
`interrupts`        Ctrl-C that waits for imports
`options`           what a command is, and options shared between commands
`quantities`        numbers with units, lists such as ``8,3``; messages that say what to write
`output`            JSON alone on stdout, or a table for people
`names`             names of strategies and figures: suggested and completed
`progress`          a bar on stderr, plain lines now and then where it is not a terminal
==================  ===============================================================================

Exit codes: 0 done, 1 the computation did not succeed, 2 bad input, 130 interrupted.
"""

from popout.cli.group import main

__all__ = ["main"]
