import stat

import pytest

from grading.seed import SEED_VARIABLE, grading_seed


@pytest.fixture(autouse=True)
def no_seed_given(monkeypatch):
    monkeypatch.delenv(SEED_VARIABLE, raising=False)


def test_the_first_use_makes_a_seed_and_later_ones_return_it(tmp_path):
    seed = grading_seed(tmp_path / "seed")
    assert len(seed) > 10
    assert grading_seed(tmp_path / "seed") == seed
    assert [path.name for path in tmp_path.iterdir()] == ["seed"]


def test_two_courses_have_different_seeds(tmp_path):
    assert grading_seed(tmp_path / "one") != grading_seed(tmp_path / "other")


def test_only_its_owner_may_read_the_file(tmp_path):
    grading_seed(tmp_path / "seed")
    assert stat.S_IMODE((tmp_path / "seed").stat().st_mode) == 0o600


def test_the_environment_comes_before_the_file(tmp_path, monkeypatch):
    monkeypatch.setenv(SEED_VARIABLE, "7")
    assert grading_seed(tmp_path / "seed") == "7"
    assert not (tmp_path / "seed").exists()


def test_a_seed_that_the_checks_could_not_read_is_refused(tmp_path):
    (tmp_path / "seed").write_text("secret")
    with pytest.raises(ValueError, match="decimal digits"):
        grading_seed(tmp_path / "seed")
