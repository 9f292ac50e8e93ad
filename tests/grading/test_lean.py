"""A grading process starts without what no notebook needs, and whoever needs it later still gets it."""

import subprocess
import sys

import pytest

from grading.lean import GRAMMAR

PROGRAM = f"""
import sys
import {{module}}
from grading.lean import import_jsonschema
import_jsonschema()
assert not [name for name in sys.modules if name.startswith("{GRAMMAR}")]
import jsonschema
jsonschema.validate({{{{"a": 1}}}}, {{{{"required": ["a"]}}}})
import {GRAMMAR}
"""


@pytest.mark.parametrize("module", ["grading.__main__", "grading.worker"])
def test_a_grading_process_builds_no_grammar_of_addresses_and_can_still_import_it(module):
    pytest.importorskip(GRAMMAR, reason="the package is not installed: nothing to leave out")
    subprocess.run([sys.executable, "-c", PROGRAM.format(module=module)], check=True)
