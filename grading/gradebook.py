"""Write the gradebook quickly: nbgrader opens it nine times for a submission, and asks and saves cell by cell."""

import contextlib
import warnings
from pathlib import Path

import nbgrader.api
from nbgrader.api import BaseCell, Comment, Grade, Gradebook
from nbgrader.preprocessors import SaveAutoGrades
from sqlalchemy.engine import make_url
from sqlalchemy.exc import SAWarning


def missing_file(db_url):
    """Return the gradebook's file if it is not there, else None: nbgrader would make an empty one."""
    address = make_url(db_url)
    is_missing = address.get_backend_name() == "sqlite" and not Path(address.database).exists()
    return address.database if is_missing else None


@contextlib.contextmanager
def gradebook_kept_open():
    """Let all of nbgrader's `Gradebook`s share a connection for each database while the body runs.

    Whether the tables and the course are there is looked up once, and SQLAlchemy compiles each statement once. What the
    gradebook's log would say is left to the exceptions: they arrive, and a traceback in the log would bury the one
    sentence on what to do.
    """
    opened, log, level = {}, nbgrader.api.app_log, nbgrader.api.app_log.level
    open_anew, close = Gradebook.__init__, Gradebook.close

    def open_once(gradebook, db_url, course_id="default_course", authenticator=None):
        if (db_url, course_id) not in opened:
            open_anew(gradebook, db_url, course_id, authenticator)
            opened[db_url, course_id] = vars(gradebook)
        vars(gradebook).update(opened[db_url, course_id])

    Gradebook.__init__, Gradebook.close = open_once, _end_session
    log.setLevel("CRITICAL")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SAWarning)  # on the order in which nbgrader builds a new submission
            yield
    finally:
        Gradebook.__init__, Gradebook.close = open_anew, close
        log.setLevel(level)
        for parts in opened.values():
            parts["engine"].dispose()


def _end_session(gradebook):
    """Forget what was read and not saved; the connection stays."""
    gradebook.db.remove()


class SaveScores(SaveAutoGrades):
    """nbgrader's step, which asks for all grades of a notebook at once, and saves them at once."""

    def preprocess(self, nb, resources):
        """Save the points and the comments of all cells, or none."""
        names = resources["nbgrader"]
        self.student_id, self.assignment_id, self.notebook_id = where = [
            names[key] for key in ("student", "assignment", "notebook")
        ]
        with Gradebook(names["db_url"]) as gradebook:
            self.gradebook = _OneNotebook(gradebook, *where)
            for index, cell in enumerate(nb.cells):
                self.preprocess_cell(cell, resources, index)
            gradebook.db.commit()
        return nb, resources


class _OneNotebook:
    """Stands before the gradebook while one notebook's grades are entered."""

    def __init__(self, gradebook, student, assignment, notebook):
        self._gradebook, self._notebook_id = (
            gradebook,
            gradebook.find_submission_notebook(notebook, assignment, student).id,
        )
        self._grades, self._comments = self._by_cell(Grade), self._by_cell(Comment)
        self.db = contextlib.nullcontext()
        self.db.commit = lambda: None  # once, when all are entered

    def _by_cell(self, kind):
        rows = self._gradebook.db.query(BaseCell.name, kind).join(kind.cell)
        return dict(map(tuple, rows.filter(kind.notebook_id == self._notebook_id)))

    def find_grade(self, name, *where):
        """Return the grade of a cell; of one that the gradebook lacks, nbgrader says what is to be said."""
        return self._grades.get(name) or self._gradebook.find_grade(name, *where)

    def find_comment(self, name, *where):
        """Return the comment of a cell."""
        return self._comments.get(name) or self._gradebook.find_comment(name, *where)
