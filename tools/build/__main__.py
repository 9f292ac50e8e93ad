"""Build every section, or those named, then the start page: `python -m tools.build [--into FOLDER] [SECTION ...]`."""

import argparse
from pathlib import Path

from tools.build.pipeline import build
from tools.build.section import ROOT, START, sections


def main():
    """Read the command line and build; without `--into` the lessons are put in canonical form too."""
    parser = argparse.ArgumentParser(prog="python -m tools.build", description=__doc__)
    parser.add_argument("--into", type=Path, default=ROOT, metavar="FOLDER", help="leave the project alone, build here")
    parser.add_argument("names", nargs="*", metavar="SECTION", help="such as 01_attention (default: all)")
    arguments = parser.parse_args()
    names = [name for name in arguments.names or sections() if name != START]
    for name in [*names, START]:  # last: it links to cells of the sections, whose ids change with their text
        for path in build(name, arguments.into):
            print(f"{path.relative_to(arguments.into)}  {path.stat().st_size / 1024:.0f} KB")


if __name__ == "__main__":
    main()
