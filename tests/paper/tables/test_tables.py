"""Every table: labelled, finite, and the same after it was a file."""

import io
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from popout.paper import tables

UNBOUNDED = ("lower_bound", "gap")
"""Variables of a figure that its table with short steps leaves out."""


@pytest.fixture(params=tables.ORDER)
def table(request):
    return request.param


def test_tables_are_labelled_finite_and_survive_the_file(computed, table):
    data, reports = computed(table)
    assert reports == sorted(reports)
    for key, values in data.data_vars.items():
        if not table.startswith("short-steps"):
            assert np.isfinite(values).all(), key
        elif not str(key).startswith(UNBOUNDED):  # these have holes, see their own tests
            assert not np.isnan(values).all(), key
    content = bytes(data.to_netcdf(engine="scipy", format="NETCDF3_64BIT"))
    with xr.open_dataset(io.BytesIO(content), engine="scipy") as back:
        xr.testing.assert_equal(back.load(), data)


def test_each_table_is_a_module():
    folder = Path(tables.__file__).parent
    modules = {path.stem.replace("_", "-") for path in folder.glob("[a-z]*.py")}
    assert modules == set(tables.ORDER)
