# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""`softcx run`: what the command sees."""
import json
import os
import subprocess
from pathlib import Path

import support
from launcher import MAIN_CAPTURE, shell


def test_ports_are_network_devices_that_the_machine_does_not_see(softcx):
    wires = ["cross:1", "cross:0", "null"]
    result = shell(softcx, "ls /sys/class/net; cat /sys/class/net/cx?/operstate", ports=wires)
    assert {"cx0", "cx1", "cx2", "lo"} <= set(result.out.split())
    machine = {path.name for path in Path("/sys/class/net").iterdir()}
    assert not (machine - {"lo"}) & set(result.out.split())
    assert result.out.split().count("up") == 3
    assert not list(Path("/sys/class/net").glob("cx*"))


def test_addresses_of_the_ports_are_stable_and_locally_administered(softcx):
    script = "cat /sys/class/net/cx0/address /sys/class/net/cx1/address"
    first, second = (shell(softcx, script, ports=["null", "null"]).out.split() for _ in range(2))
    assert first == second
    assert len(set(first)) == 2
    assert all(int(address[:2], 16) & 3 == 2 for address in first)


def test_mtu_of_a_port_can_be_raised_to_jumbo_frames(softcx):
    assert shell(softcx, "ip link set cx0 mtu 9216 && cat /sys/class/net/cx0/mtu").out == "9216\n"


def test_no_frame_appears_unasked(softcx):
    script = """for n in cx0 cx0wire; do cat /proc/sys/net/ipv6/conf/$n/disable_ipv6; done
                sleep 1.5; cat /sys/class/net/cx0*/statistics/[rt]x_packets"""
    assert shell(softcx, script).out.split() == ["1", "1", "0", "0", "0", "0"]


def test_software_ports_lie_beside_the_machines_pci_devices(softcx):
    result = shell(softcx, "cd $SYSFS_PCI_DEVICES && ls; cat 0000:ca:00.0/vendor "
                           "0000:ca:00.1/uevent; basename $(readlink -f 0000:ca:00.0/driver); "
                           "cat */class >/dev/null", ports=["null", "null"])
    words = result.out.split()
    assert result.rc == 0
    assert {"0000:ca:00.0", "0000:ca:00.1", "0x15b3", "mlx5_core",
            "PCI_SLOT_NAME=0000:ca:00.1"} <= set(words)
    assert {path.name for path in Path("/sys/bus/pci/devices").iterdir()} <= set(words)


def test_rdma_devices_lead_to_their_pci_functions(softcx):
    result = shell(softcx, "cd /dev/shm/softcx/ib; readlink -f mlx5_1/device; ls mlx5_1/device/net;"
                           "cat mlx5_0/ports/1/hw_counters/out_of_buffer", ports=["null", "null"])
    assert result.out.split() == ["/dev/shm/softcx/pci/0000:ca:00.1", "cx1", "0"]


def test_hugepages_and_runtime_folder_are_private(softcx, hugepages_returned):
    script = """grep -c hugetlbfs /proc/mounts; folder=$(grep hugetlbfs /proc/mounts | cut -d' ' -f2)
                head -c 1 /dev/zero > /dev/null; fallocate -l 2M $folder/leak && ls $folder
                mkdir $RUNTIME_DIRECTORY/dpdk && ls $RUNTIME_DIRECTORY"""
    assert shell(softcx, script).out.split() == ["1", "leak", "dpdk"]


def test_what_lay_in_shared_memory_stays_visible(softcx):
    folder = Path(f"/dev/shm/ringside-test-{os.getpid()}")
    folder.mkdir()
    file = folder.with_suffix(".file")
    try:
        file.write_text("file")
        (folder / "inside").write_text("folder")
        result = shell(softcx, f"cat {file} {folder}/inside; echo new > {folder}/made; "
                               "touch /dev/shm/private")
        assert result.out == "filefolder"
        assert (folder / "made").read_text() == "new\n"
        assert not Path("/dev/shm/private").exists()
    finally:
        subprocess.run(["rm", "-r", folder, file], check=True)


def test_mounts_below_sys_stay_visible(softcx):
    script = "cut -d' ' -f2 /proc/mounts | grep ^/sys/"
    outside = set(subprocess.run(["sh", "-c", script], capture_output=True, text=True).stdout.split())
    assert outside <= set(shell(softcx, script).out.split())


def test_configuration_says_what_was_asked_for(softcx, tmp_path):
    out = tmp_path / "out.pcap"
    wires = [f"pcap:in={MAIN_CAPTURE},out={out},loop=0,pad", "cross:2", "cross:1", "netdev:lo"]
    result = shell(softcx, "cat $SOFTCX_CONFIG; ls -L /proc/self/fd", ports=wires)
    text, _, descriptors = result.out.rpartition("}\n")
    config = json.loads(text + "}")
    assert config["root"] == "/dev/shm/softcx"
    assert [port["index"] for port in config["ports"]] == [0, 1, 2, 3]
    assert config["ports"][1] == {
        "index": 1, "bdf": "0000:ca:00.1", "ibdev": "mlx5_1", "uverbs": "uverbs1", "netdev": "cx1",
        "wire_end": "cx1wire",
        "wire": {"kind": "cross", "peer": 2}}
    assert config["ports"][0]["wire"] == {
        "kind": "pcap", "in": str(MAIN_CAPTURE), "out": str(out), "loop": 0, "pad": True}
    netdev = config["ports"][3]["wire"]
    assert netdev["ifname"] == "lo"
    assert {str(netdev["fd"]), str(config["report_fd"])} <= set(descriptors.split())


def test_netdev_wire_receives_what_the_machines_interface_receives(softcx):
    script = f"""import json, os, socket
fd = json.load(open(os.environ["SOFTCX_CONFIG"]))["ports"][0]["wire"]["fd"]
wire = socket.socket(fileno=fd)
wire.settimeout(5)
open("/proc/self/fd/1", "w").write("ready\\n")
while b"ringside was here" not in wire.recv(2048):
    pass
print("received")"""
    child = subprocess.Popen(
        support.softcx_command(["netdev:lo"], ["/usr/bin/python3", "-c", script]),
        stdout=subprocess.PIPE, text=True, env=support.environment())
    assert child.stdout.readline() == "ready\n"
    subprocess.run(["/usr/bin/python3", "-c", "import socket; socket.socket(socket.AF_INET, "
                    "socket.SOCK_DGRAM).sendto(b'ringside was here', ('127.0.0.1', 9))"], check=True)
    assert child.communicate(timeout=60)[0] == "received\n"
