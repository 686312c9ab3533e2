"""Results as the objects that JSON knows.

JSON has no NaN and no infinity; both become ``null``, so that any reader can parse the file.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the command line writes JSON too, and starts faster without
    import xarray as xr


def plain(value: Any) -> Any:
    """Turn a result into dict, list, str, int, float, bool and None.

    Parameters
    ----------
    value : object
        Scalars, strings, None, mappings, sequences, NumPy scalars and arrays, nested at will. A
        Dataset becomes its variables with their dimensions, units and values.

    Examples
    --------
    >>> import numpy as np
    >>> plain({"risk": np.float64(0.25), "grid": np.array([3, 4]), "bound": float("inf")})
    {'risk': 0.25, 'grid': [3, 4], 'bound': None}
    >>> import xarray as xr
    >>> plain(xr.Dataset({"risk": ("cost", [0.5, 0.25], {"units": "1"})}))["risk"]["values"]
    [0.5, 0.25]
    """
    if value is None or type(value) in (str, int, bool):  # most of a large result
        return value
    if type(value) is float:
        return value if math.isfinite(value) else None
    if hasattr(value, "data_vars"):  # a Dataset
        return {str(name): _variable(array) for name, array in value.variables.items()}
    if hasattr(value, "tolist"):  # NumPy scalars and arrays
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, str | int | float):
        return value
    if hasattr(value, "as_dict"):  # a result within a result
        return value.as_dict()
    raise TypeError(f"cannot write {type(value).__name__} as JSON")


def _variable(array: xr.Variable) -> dict[str, Any]:
    variable: dict[str, Any] = {"dims": [str(dim) for dim in array.dims]}
    if "units" in array.attrs:
        variable["units"] = str(array.attrs["units"])
    return {**variable, "values": plain(array.to_numpy())}


def json_bytes(value: Any) -> bytes:
    r"""Return the content of a JSON file, the same for the same result.

    Examples
    --------
    >>> json_bytes({"risk": 0.25})
    b'{\n "risk": 0.25\n}\n'
    """
    return (json.dumps(plain(value), indent=1, allow_nan=False, ensure_ascii=False) + "\n").encode()
