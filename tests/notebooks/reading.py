"""Read the built notebooks: every text in them, their pictures, and what is asked of the learner."""

import base64
import html
import io
import re

import nbformat
import numpy as np
from PIL import Image

from tools.build.section import ROOT, START, Section, page_of, sections

# Pictures are compared by pixels, since the last bits of floats differ between processors and move an edge a little:
# the root of the mean squared difference, of values from 0 to 255. A line drawn elsewhere gives 5 or more.
PICTURE_TOLERANCE = 2.0
REBUILD = "run `make build` and commit what it changes"
REGION = re.compile(r"BEGIN SOLUTION[^\n]*\n(.*?)[^\n]*END SOLUTION", re.DOTALL)


def read(path):
    """Return a notebook of the project."""
    return nbformat.read(ROOT / path, as_version=4)


def solutions_and_releases():
    """Return the paths of all built notebooks."""
    both = [path for name in sections() for path in (Section(name).solution, Section(name).release)]
    return [page_of(START).release, *both]


def releases():
    """Return the paths of the learner's notebooks, the start page first."""
    return [page_of(name).release for name in [START, *sections()]]


def texts(value):
    """Yield every string in a nested structure, pictures excepted, with HTML entities resolved."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if not key.startswith("image/"):
                yield from texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner)
    elif isinstance(value, str):
        yield html.unescape(value)


def solution_regions(notebook):
    """Return what stands between BEGIN SOLUTION and END SOLUTION, region by region."""
    return [region for cell in notebook.cells for region in REGION.findall(cell.source)]


def outputs(notebook):
    """Return the outputs of all cells."""
    return [output for cell in notebook.cells for output in cell.get("outputs", [])]


def pictures(outputs):
    """Return the PNG images among outputs, as arrays of RGBA values."""
    encoded = [output.data["image/png"] for output in outputs if "image/png" in output.get("data", {})]
    return [np.asarray(Image.open(io.BytesIO(base64.b64decode(png))).convert("RGBA"), float) for png in encoded]


def differ(fresh, stored):
    """Say whether pictures are others than those that are stored, or more, or fewer."""
    if [picture.shape for picture in fresh] != [picture.shape for picture in stored]:
        return True
    differences = [np.sqrt(np.mean((a - b) ** 2)) for a, b in zip(fresh, stored, strict=True)]
    return max(differences, default=0.0) > PICTURE_TOLERANCE


def without_pictures(notebook):
    """Return the notebook as plain data, each PNG replaced by the word `picture`."""

    def hidden(value):
        if isinstance(value, dict):
            return {
                key: "picture" if key == "image/png" and isinstance(inner, str) else hidden(inner)
                for key, inner in value.items()
            }
        return [hidden(inner) for inner in value] if isinstance(value, list) else value

    return hidden(notebook)
