"""``python -m popout``: the command line."""

from popout.cli import main

if __name__ == "__main__":
    main(prog_name="popout")
