import nbgrader.api

from grading.gradebook import gradebook_kept_open

FIRST, SECOND = "sqlite://", "sqlite:///:memory:"


def test_an_engine_is_made_once_for_each_database_while_the_body_runs_and_anew_afterwards():
    create_engine = nbgrader.api.create_engine
    with gradebook_kept_open():
        engine = nbgrader.api.create_engine(FIRST, echo=False)
        assert nbgrader.api.create_engine(FIRST, echo=False) is engine
        assert nbgrader.api.create_engine(SECOND, echo=False) is not engine
    assert nbgrader.api.create_engine is create_engine


def test_the_log_of_the_gradebook_is_silent_while_the_body_runs(caplog):
    with gradebook_kept_open():
        nbgrader.api.app_log.error("a traceback")
    assert not caplog.records
    nbgrader.api.app_log.error("a traceback")
    assert len(caplog.records) == 1
