"""Keep the results of jobs in files, so that a run that was killed goes on where it was."""

import json
import os
import threading
from pathlib import Path

from grading.job import digest


class Results:
    """A folder of results, each in a file named after its job; safe to delete whenever nothing is being graded."""

    def __init__(self, directory):
        self.directory = Path(directory)

    def get(self, job):
        """Return the result of a job, None if there is none."""
        try:
            return json.loads(self._path(job).read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):  # a file that a full disk, or a power cut, has cut short is none
            return None

    def has(self, job):
        """Say whether there is a file for the job."""
        return self._path(job).exists()

    def put(self, job, result):
        """Keep a result: the whole file or none."""
        self.directory.mkdir(parents=True, exist_ok=True)
        path = self._path(job)
        draft = path.with_name(f"{path.name}.{os.getpid()}.{threading.get_ident()}")
        try:
            draft.write_text(json.dumps(result, ensure_ascii=False), encoding="utf-8")
            draft.replace(path)
        except OSError:
            draft.unlink(missing_ok=True)
            raise

    def discard(self, jobs):
        """Forget results that are in the gradebook now."""
        for job in jobs:
            self._path(job).unlink(missing_ok=True)

    def _path(self, job):
        return self.directory / f"{digest(job)}.json"
