"""Who may import whom: mathematics knows no pictures, learners' code knows no grading."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.notebooks.reading import read, solutions_and_releases
from tools.build.section import ROOT

OURS = {"helpers", "grading", "tools", "tests"}
LEARNERS_PACKAGES = {"numpy", "matplotlib", "ipywidgets", "IPython"}

# What each part may import beside the standard library and itself. The longest matching prefix counts.
MAY_IMPORT = {
    "helpers": {"numpy", "matplotlib"},
    "helpers.reference": {"numpy"},
    "helpers.figures": {"numpy", "matplotlib", "helpers.style"},
    "helpers.widgets": {
        *LEARNERS_PACKAGES,
        "helpers.reference",
        "helpers.figures",
        "helpers.style",
    },
    "helpers.checks": {"numpy", "helpers.reference"},
    "helpers.checks.report": {"numpy", "IPython", "ipywidgets", "helpers.checks"},
}


def modules(folder):
    """Return the name of each module in a folder of the project, with its file."""
    paths = sorted((ROOT / folder).rglob("*.py"))
    return {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in paths}


def imports(source, module=""):
    """Return the full name of everything that a piece of source imports, relative names resolved.

    `from a import b` counts as `a.b` when `a` is ours, since `b` may be a module.
    """
    names = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            origin = node.module or ""
            if node.level:
                origin = ".".join([*module.split(".")[: -node.level], *filter(None, [node.module])])
            ours = origin.split(".")[0] in OURS
            names += [f"{origin}.{alias.name}" for alias in node.names] if ours else [origin]
    return names


def may(name, allowed):
    """Return whether an imported name is in the standard library, or below one of the allowed names."""
    if name.split(".")[0] in sys.stdlib_module_names:
        return True
    return any(f"{name}.".startswith(f"{prefix}.") for prefix in allowed)


def part_of(module):
    """Return the longest prefix of a module's name that has a rule."""
    return max((part for part in MAY_IMPORT if f"{module}.".startswith(f"{part}.")), key=len)


@pytest.mark.parametrize("module", modules("helpers"))
def test_a_module_imports_only_what_its_layer_may(module):
    path, part = modules("helpers")[module], part_of(module)
    name = f"{module}.__init__" if path.name == "__init__.py" else module
    itself = {part} - {"helpers"}
    found = imports(path.read_text(encoding="utf-8"), name)
    assert [name for name in found if not may(name, itself | MAY_IMPORT[part])] == []


def test_grading_never_imports_the_build_and_nothing_imports_the_tests():
    for module, path in {**modules("helpers"), **modules("grading"), **modules("tools")}.items():
        forbidden = {"tests"} if module.startswith("tools") else {"tests", "tools"}
        assert [
            name for name in imports(path.read_text(encoding="utf-8"), module) if name.split(".")[0] in forbidden
        ] == []


@pytest.mark.parametrize("path", solutions_and_releases(), ids=str)
def test_a_notebook_imports_helpers_and_the_learners_packages_alone(path):
    source = "\n".join(cell.source for cell in read(path).cells if cell.cell_type == "code")
    assert [name for name in imports(source) if not may(name, {"helpers", *LEARNERS_PACKAGES})] == []


def test_a_script_of_the_chapter_imports_helpers_and_the_learners_packages_alone():
    paths = list((ROOT / "code").rglob("*.py"))
    allowed = {"helpers", *LEARNERS_PACKAGES, *(path.stem for path in paths)}  # they stand beside each other
    assert len(paths) == 6
    for path in paths:
        found = imports(path.read_text(encoding="utf-8"))
        assert [name for name in found if not may(name, allowed)] == [], path.name


@pytest.mark.parametrize("folder", ["helpers", "grading", "tools", "code"])
def test_nothing_is_imported_with_a_star_and_pyplot_never(folder):
    for path in modules(folder).values():
        source = path.read_text(encoding="utf-8")
        nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)]
        assert [alias.name for node in nodes for alias in node.names if alias.name == "*"] == [], path
        assert folder != "helpers" or "matplotlib.pyplot" not in imports(source), path


def test_importing_helpers_prints_nothing_and_warns_of_nothing():
    program = "\n".join(f"import {module}" for module in modules("helpers"))
    result = subprocess.run(
        [sys.executable, "-W", "default", "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("import numpy as np", "numpy"),
        ("from helpers.figures import attention", "helpers.figures.attention"),
        ("from ..style import Picture", "helpers.style.Picture"),
        ("from . import lock", "helpers.checks.lock"),
    ],
)
def test_an_import_is_recognised_however_it_is_written(source, name):
    assert imports(source, "helpers.checks.judge") == [name]


def test_a_forbidden_import_is_noticed():
    assert not may("matplotlib.figure", MAY_IMPORT["helpers.reference"])
    assert not may("helpers.widgets.explorer", MAY_IMPORT["helpers"])
    assert not may("grading.seed", MAY_IMPORT["helpers.checks"])
    assert part_of("helpers.checks.report") == "helpers.checks.report"
    assert part_of("helpers.checks.judge") == "helpers.checks"


def test_the_project_has_a_file_for_each_rule():
    assert [
        part for part in MAY_IMPORT if not Path(ROOT, *part.split(".")).exists() and part not in modules("helpers")
    ] == []
