"""Write what the oracles say into tests/reference/fixtures: `.venv-oracle/bin/python -m tests.oracle.freeze`."""

import json
from importlib.metadata import version
from pathlib import Path

from tests.oracle.oracles import FIXTURES

FOLDER = Path(__file__).parent.parent / "reference" / "fixtures"
DIGITS = 9


def main():
    """Write one file for each set of values, with the versions that they come from."""
    source = {package: version(package).split("+")[0] for package in ("torch", "transformers")}
    for name, values in FIXTURES.items():
        content = {"source": source, "values": {key: as_list(value) for key, value in values().items()}}
        (FOLDER / f"{name}.json").write_text(dumped(content), encoding="utf-8")
        print(f"{name}.json: {', '.join(content['values'])}")


def as_list(array):
    """Return an array as nested lists, rounded to the digits that are kept."""
    return array.tolist() if array.dtype.kind in "bi" else array.round(DIGITS).tolist()


def dumped(content):
    """Return JSON with one line for each array."""
    lines = [f"    {json.dumps(key)}: {json.dumps(value)}" for key, value in content["values"].items()]
    source = json.dumps(content["source"])
    return f'{{\n  "source": {source},\n  "values": {{\n' + ",\n".join(lines) + "\n  }\n}\n"


if __name__ == "__main__":
    main()
