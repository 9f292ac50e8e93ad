"""Play a front end that does not wait for the kernel: `burst(python)` sends slider positions as fast as they go out."""

import json
import os
import time

from jupyter_client.manager import KernelManager

from tools.build.section import ROOT

N_POSITIONS = 40
MAKE = """
from helpers.widgets.positions import clock_explorer
explorer = clock_explorer()
drawn = []
explorer.image.observe(lambda change: drawn.append(explorer.values()["position"]), names="value")
seen = []
explorer.controls["position"].observe(lambda change: seen.append(change["new"]), names="value")
print(explorer.controls["position"].model_id)
"""
ASK = """
import json
late = clock_explorer()
late.controls["position"].value = {last}
same = bytes(late.image.value) == bytes(explorer.image.value)
print(json.dumps(dict(drawn=drawn, seen=seen, same=same, caption=explorer.caption.value)))
"""


def burst(python, folder):
    """Return what a kernel of this Python made of a burst: positions drawn and seen; whether the last one stands."""
    manager = KernelManager(connection_file=str(folder / "kernel.json"))
    manager.kernel_spec.argv = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    manager.start_kernel(cwd=folder, env=os.environ | {"PYTHONPATH": str(ROOT), "IPYTHONDIR": str(folder)})
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=60)
        model_id = printed(client, MAKE)
        for position in range(1, N_POSITIONS + 1):
            content = {"comm_id": model_id, "data": {"method": "update", "state": {"value": position}}}
            client.shell_channel.send(client.session.msg("comm_msg", content))
        printed(client, "")  # answered after all of them
        time.sleep(0.3)
        return json.loads(printed(client, ASK.format(last=N_POSITIONS)))
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def printed(client, code):
    """Run code in the kernel and return what it prints."""
    text = []

    def keep(message):
        if message["msg_type"] == "stream":
            text.append(message["content"]["text"])

    reply = client.execute_interactive(code, output_hook=keep, timeout=60, store_history=False)
    assert reply["content"]["status"] == "ok", reply["content"]
    return "".join(text).strip()
