"""What the pages are built from: locked by name and version, without addresses."""

import json
import re
from pathlib import Path

WEB = Path(__file__).parents[2] / "web"
LOCK = json.loads((WEB / "package-lock.json").read_text())
PACKAGES = {path: about for path, about in LOCK["packages"].items() if path}


def test_every_library_is_locked_by_its_content():
    assert len(PACKAGES) > 40
    assert [path for path, about in PACKAGES.items() if "integrity" not in about] == []


def test_no_address_of_a_registry():
    assert [path for path, about in PACKAGES.items() if "resolved" in about] == []
    npmrc = (WEB / ".npmrc").read_text()
    assert "omit-lockfile-registry-resolved=true" in npmrc
    assert "://" not in npmrc


def test_versions_are_exact():
    wanted = json.loads((WEB / "package.json").read_text())
    versions = [*wanted["dependencies"].values(), *wanted["devDependencies"].values()]
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in versions)
