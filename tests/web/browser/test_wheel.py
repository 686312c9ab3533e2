"""A wheel that is built where the pages are holds them, with the licences of what is in them."""

import zipfile
from pathlib import Path

from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).parents[3]


def test_the_wheel_holds_the_pages(tmp_path):
    (wheel,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if name.startswith("popout/web/static/")}
        licences = archive.read("popout/web/static/licences.txt").decode()
    wanted = ("explorer.html", "laboratory.html", "researcher.html", "explorer.js", "lab.js")
    assert {f"popout/web/static/{name}" for name in wanted} <= names
    assert sum(name.endswith(".woff2") for name in names) == 3
    for library in ("@observablehq/plot", "jspsych", "@fontsource-variable/source-sans-3"):
        assert f"{library} " in licences
