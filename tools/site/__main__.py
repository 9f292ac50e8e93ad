"""Build the site: `python -m tools.site`; PYODIDE_DIST=FOLDER in the environment makes it need no other origin."""

import argparse
import os
import sys
from pathlib import Path

from tools.build.section import ROOT
from tools.site.core import SiteError
from tools.site.pipeline import build_site


def main():
    """Read the command line, build, and say where the site is and how to look at it."""
    parser = argparse.ArgumentParser(prog="python -m tools.site", description=__doc__)
    parser.add_argument("--into", type=Path, default=ROOT / "site", metavar="FOLDER", help="replaced (default: site/)")
    folder = parser.parse_args().into.resolve()
    distribution = os.environ.get("PYODIDE_DIST")
    try:
        build_site(folder, Path(distribution).resolve() if distribution else None)
    except SiteError as error:
        sys.exit(str(error))
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    origin = "nothing else is fetched" if distribution else "Pyodide comes from its usual address"
    print(f"{folder}: {size / 1e6:.0f} MB, {origin}. To look at it: python3 -m http.server --directory {folder}")


if __name__ == "__main__":
    main()
