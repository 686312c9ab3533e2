"""Provenance without names of people or machines."""

import getpass
import json
import platform
import re

import numpy as np

from popout.report import provenance


def test_provenance_names_no_person_and_no_computer():
    text = json.dumps([provenance.machine(), provenance.versions(), provenance.now()])
    host, user = platform.node(), getpass.getuser()
    assert not host or host not in text
    assert not re.search(rf"\b{re.escape(user)}\b", text)


def test_versions_are_those_installed():
    found = provenance.versions()
    assert found["numpy"] == np.__version__
    assert found["python"] == platform.python_version()
    assert "unknown" not in found.values()
