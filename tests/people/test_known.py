import pytest

from popout.people.datafile import read_file
from popout.people.known import KNOWN_DATA

from .lookalikes import CONJUNCTION, FEATURE, MAZOR, SHI, needs_human_data


def test_every_data_set_says_what_to_cite():
    for sha256, known in KNOWN_DATA.items():
        assert len(sha256) == 64
        assert "20" in known.citation
        assert known.licence


@needs_human_data
@pytest.mark.parametrize("path", [CONJUNCTION, FEATURE, SHI, MAZOR], ids=lambda path: path.stem)
def test_the_files_are_the_known_ones(path):
    assert read_file(path).sha256 in KNOWN_DATA
