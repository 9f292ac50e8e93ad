"""What one submission may use of the machine; a limit that is passed ends the submission's processes, no others."""

from dataclasses import asdict, dataclass

MEGABYTE = 2**20


@dataclass(frozen=True)
class Limits:
    """Everything is per submission; `address_space` is per process, and `memory` the sum over its processes.

    Parameters
    ----------
    cell_seconds, notebook_seconds : float
    memory, address_space, disk, output : int
        Bytes: resident memory, virtual memory, the scratch folder, what is sent back.
    processes : int
        Processes and threads together.
    """

    cell_seconds: float = 60.0
    notebook_seconds: float = 600.0
    memory: int = 2048 * MEGABYTE
    address_space: int = 8192 * MEGABYTE
    disk: int = 64 * MEGABYTE
    output: int = 64 * MEGABYTE
    processes: int = 64

    def as_dict(self):
        """Return the limits as JSON can hold them."""
        return asdict(self)

    def apply(self):
        """Bind this process and all that it will start."""
        import resource  # Windows has none: there nothing is graded, but releases and feedback are made

        for kind, most in (
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_AS, self.address_space),
            (resource.RLIMIT_FSIZE, self.disk),
            (resource.RLIMIT_NPROC, self.processes),
            (resource.RLIMIT_NOFILE, 256),
        ):
            _, hard = resource.getrlimit(kind)
            allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(kind, (allowed, allowed))
