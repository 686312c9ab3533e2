"""Install what requirements.lock names, with two pips at a time: unpacking keeps a core busy.

.venv/bin/python .ci/install.py
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

AT_A_TIME = 2
PIP = [sys.executable, "-m", "pip"]
# The lock names every package, also those that others need; hence `--no-deps`, and `check`.
INSTALL = [*PIP, "install", "--quiet", "--no-compile", "--no-deps", "--require-hashes", "-r"]


def install(*shares):
    """Install several lists of packages at once; return whether that went well."""
    with tempfile.TemporaryDirectory() as folder:
        running = []
        for number, packages in enumerate(shares):
            file = Path(folder, f"{number}.txt")
            file.write_text("".join(packages))
            running.append(subprocess.Popen([*INSTALL, file]))
        return not any([pip.wait() for pip in running])


def main():
    """Install pip itself, then everything else, and see whether all fit together."""
    lock = Path(__file__).parents[1].joinpath("requirements.lock").read_text()
    packages = re.split(r"(?m)^(?=\w)", lock)[1:]
    pip = [each for each in packages if each.startswith("pip==")]
    others = [each for each in packages if each not in pip]
    shares = [others[k::AT_A_TIME] for k in range(AT_A_TIME)]
    done = install(pip) and install(*shares)
    sys.exit(subprocess.call([*PIP, "check"], stdout=subprocess.DEVNULL) if done else 1)


if __name__ == "__main__":
    main()
