"""What is installed is written once: pyproject.toml, environment.yml, the lock and Colab's versions agree."""

import re
import shutil
import subprocess
import tomllib

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.version import Version

from tools.build.section import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MAKE_NEEDS = (
    "pyproject.toml",
    "tools/lab_settings.json",
    "tools/lab_extension/package.json",
    "tools/lab_extension/remoteEntry.js",
)
COLAB = sorted((ROOT / "tests" / "environments").glob("colab-*.txt"))


def declared(*extras):
    """Return the project's requirements and those of the named extras, by name."""
    lines = PROJECT["dependencies"] + [line for extra in extras for line in PROJECT["optional-dependencies"][extra]]
    requirements = [Requirement(line) for line in lines]
    return {requirement.name: requirement.specifier for requirement in requirements}


def declared_in_the_lock():
    """Return what `make lock` asks for: every extra except the site's, which has an environment of its own."""
    requirements = declared(*(extra for extra in PROJECT["optional-dependencies"] if extra != "site"))
    del requirements[PROJECT["name"]]
    return requirements


def pinned(path):
    """Return the versions in a requirements file, by name; the first where they depend on the machine."""
    pins = re.findall(r"^([\w.-]+)==([^\s;]+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {name.lower().replace("_", "-"): Version(version) for name, version in reversed(pins)}


def test_the_conda_environment_is_the_learners_and_the_instructors():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    conda = [Requirement(line) for line in environment["dependencies"] if isinstance(line, str)]
    specifiers = {requirement.name: requirement.specifier for requirement in conda}
    assert specifiers.pop("python") == PROJECT["requires-python"]
    del specifiers["pip"]
    assert specifiers == declared("lab", "grading")
    assert environment["dependencies"][-1] == {"pip": ["-e ."]}


def test_every_requirement_has_a_lower_bound_and_no_upper_one():
    requirements = declared_in_the_lock()
    operators = {name: [part.operator for part in specifier] for name, specifier in requirements.items()}
    assert {name: found for name, found in operators.items() if found != [">="]} == {}


def test_the_lock_holds_every_requirement():
    lock = pinned(ROOT / "requirements.lock")
    requirements = declared_in_the_lock()
    assert {name for name, specifier in requirements.items() if lock[name] not in specifier} == set(), "run `make lock`"


def test_the_development_environment_has_every_extra_but_the_site_s():
    (ourselves,) = [line for line in PROJECT["optional-dependencies"]["dev"] if line.startswith(PROJECT["name"])]
    assert Requirement(ourselves).extras == set(PROJECT["optional-dependencies"]) - {"dev", "site"}


def test_jupyterlite_and_its_kernel_are_of_one_version_exactly():
    requirements = declared("site")
    assert str(requirements["jupyterlite-core"]) == str(requirements["jupyterlite-pyodide-kernel"])
    assert str(requirements["jupyterlite-core"]).startswith("==")


def test_the_lock_names_no_host_and_no_file():
    assert re.findall(r"https?://|file:|--index|--find-links", (ROOT / "requirements.lock").read_text()) == []


@pytest.mark.parametrize("pins", COLAB, ids=lambda pins: pins.stem)
def test_colab_is_within_the_ranges_that_users_install(pins):
    versions = pinned(pins)
    assert {name for name, specifier in declared().items() if versions[name] not in specifier} == set()


def test_the_lowest_versions_are_tested_in_colabs_environments():
    for name, specifier in declared().items():
        (lower,) = specifier
        assert min(pinned(pins)[name] for pins in COLAB) == Version(lower.version), name


def test_make_alone_says_what_each_target_does():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.search(r"^\.PHONY: (.+)$", makefile, re.MULTILINE).group(1).split())
    shown = subprocess.run(
        ["make", "--no-print-directory"], cwd=ROOT, capture_output=True, text=True
    ).stdout.splitlines()
    assert {line.split()[1] for line in shown} == targets
    assert [line for line in shown if len(line.split()) < 4] == []


def copy_what_make_needs(folder):
    """Copy the Makefile and the files that its rules for `.venv` read."""
    for name in ("Makefile", *MAKE_NEEDS):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, folder / name)


def test_make_lab_brings_our_settings_and_our_extension_of_jupyterlab(tmp_path):
    copy_what_make_needs(tmp_path)
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to(shutil.which("true"))  # installs nothing
    jupyterlab = python.with_name("jupyter")
    jupyterlab.symlink_to(python.readlink())
    subprocess.run(["make", "lab"], cwd=tmp_path, check=True, capture_output=True)
    brought = [path for path in (tmp_path / ".venv" / "share" / "jupyter").rglob("*") if path.is_file()]
    assert {path.read_bytes() for path in brought} == {(ROOT / name).read_bytes() for name in MAKE_NEEDS[1:]}
    assert {path.name for path in brought} == {"overrides.json", "package.json", "remoteEntry.js"}


def test_make_refuses_a_python_that_is_too_old(tmp_path):
    old = tmp_path / "old-python"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    copy_what_make_needs(tmp_path)
    result = subprocess.run(["make", "lab", f"PYTHON={old}"], cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode != 0
    assert "is not Python 3.11 or later. Name one that is: make lab PYTHON=python3.12" in result.stderr


def test_make_grade_asks_for_an_assignment_before_it_installs_anything(tmp_path):
    (tmp_path / "Makefile").write_text((ROOT / "Makefile").read_text(encoding="utf-8"))
    (tmp_path / "pyproject.toml").touch()
    result = subprocess.run(["make", "grade"], cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode != 0
    assert "Name the assignment" in result.stderr
    assert not (tmp_path / ".venv").exists()


def test_continuous_integration_runs_what_a_person_runs():
    lines = (ROOT / ".ci" / "run").read_text().splitlines()
    commands = [re.sub(r":-[^}]+}", ":-…}", line) for line in lines if line and not line.startswith("#")]
    assert commands == [
        'cd "$(dirname "$0")/.." \\',
        "    && PYODIDE_WHEELS=${PYODIDE_WHEELS:-…} make --jobs=3 --output-sync=line test test-browser test-site",
    ]
