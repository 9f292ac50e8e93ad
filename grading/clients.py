"""What every notebook run by this project adds to nbclient: mix `SteadyClient` into a NotebookClient."""

import os
import tempfile
import uuid


class SteadyClient:
    """Leave widgets to the kernel, and let no other kernel take a port away.

    nbclient's stand-in for a browser sends on the shell socket while it waits for the same cell. Under load the reply
    is sometimes never seen, and the cell hangs until its timeout. Nothing here needs the stand-in: no cell reads what
    an Output widget caught.

    Kernels that start at the same time can pick the same free ports; then one of them dies. Sockets that are files
    of a name of their own cannot be mixed up.
    """

    def on_comm_open_jupyter_widget(self, msg):
        """Answer a widget that opens its channel with nothing."""
        return

    def create_kernel_manager(self):
        """Have the kernel listen on files instead of ports, where the system can."""
        manager = super().create_kernel_manager()
        if os.name == "posix":
            manager.transport = "ipc"
            manager.ip = os.path.join(tempfile.gettempdir(), f"kernel-{uuid.uuid4().hex[:12]}")
        return manager
