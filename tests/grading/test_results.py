import errno
from pathlib import Path

import pytest

from grading.results import Results

JOB, OTHER = {"cells": [], "seed": "7"}, {"cells": [], "seed": "8"}


@pytest.fixture
def results(tmp_path):
    return Results(tmp_path / "results")


def test_a_result_is_there_until_it_is_discarded(results):
    assert results.get(JOB) is None
    results.put(JOB, {"outputs": {"1": "输出"}})
    assert results.get(JOB) == {"outputs": {"1": "输出"}}
    assert results.get(OTHER) is None
    results.discard([JOB, OTHER])
    assert results.get(JOB) is None


def test_a_file_that_was_cut_short_is_no_result(results):
    results.put(JOB, {"outputs": {}})
    (file,) = results.directory.iterdir()
    file.write_text('{"outputs": ')
    assert results.get(JOB) is None


def test_a_full_disk_leaves_the_last_result_and_no_draft(results, monkeypatch):
    def full(path, target):
        raise OSError(errno.ENOSPC, "No space left on device")

    results.put(JOB, {"outputs": {"1": "kept"}})
    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        results.put(JOB, {"outputs": {}})
    assert results.get(JOB) == {"outputs": {"1": "kept"}}
    assert len(list(results.directory.iterdir())) == 1
