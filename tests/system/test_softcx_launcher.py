# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""`softcx run`: what the command sees, what is left behind, what is refused."""
import json
import os
import re
import signal
import struct
import subprocess
import time
from pathlib import Path

import pexpect
import pytest
import support
from scapy.utils import PcapNgWriter, PcapWriter

MAIN_CAPTURE = support.DATA / "http-dns-icmp.pcap"


def host_state():
    """What a run could leave on the machine."""
    return {
        "links": subprocess.run(["ip", "-br", "link"], capture_output=True, text=True).stdout,
        "netns": subprocess.run(["ip", "netns"], capture_output=True, text=True).stdout,
        "mounts": Path("/proc/mounts").read_text(),
        "shm": sorted(os.listdir("/dev/shm")),
        "hugepages": support.free_hugepages(),
    }


def processes_in(namespace):
    """The processes in a network namespace, given as its link in /proc."""
    found = []
    for link in Path("/proc").glob("[0-9]*/ns/net"):
        try:
            if os.readlink(link) == namespace:
                found.append(link.parts[2])
        except OSError:  # ended meanwhile
            pass
    return found


def init_of(launcher):
    """The launcher's child, the first process of the command's namespaces."""
    return int(Path(f"/proc/{launcher}/task/{launcher}/children").read_text())


def shell(softcx, script, **options):
    return softcx(["sh", "-c", script], **options)


# The command and its exit status

@pytest.mark.parametrize("status", [0, 1, 7, 255])
def test_exit_status_of_the_command_is_passed_on(softcx, status):
    assert shell(softcx, f"exit {status}").rc == status


def test_signal_that_ends_the_command_is_passed_on_as_128_plus_number(softcx):
    assert shell(softcx, "kill -KILL $$").rc == 128 + signal.SIGKILL


def test_arguments_and_streams_reach_the_command_untouched(softcx):
    result = softcx(["sh", "-c", 'cat; printf "<%s>" "$@"; echo oops >&2', "sh",
                     "a b", "--", "", "[1,2]", "--port"], stdin="from stdin\n")
    assert result.out == "from stdin\n<a b><--><><[1,2]><--port>"
    assert result.err == "oops\n"


def test_unknown_command_is_named_and_gives_127(softcx):
    result = softcx(["no-such-program"])
    assert result.rc == 127
    assert "'no-such-program'" in result.err and "PATH" in result.err


def test_command_that_cannot_be_executed_gives_126(softcx):
    result = softcx(["/etc/passwd"])
    assert result.rc == 126
    assert "/etc/passwd" in result.err


def test_command_is_not_the_init_of_its_namespace(softcx):
    pids = shell(softcx, "echo $$; ls -d /proc/[0-9]*").out.split()
    assert pids[0] != "1"
    assert "/proc/1" in pids
    assert len(pids) <= 5  # a fresh /proc: none of the machine's processes


def test_processes_left_behind_by_the_command_end_with_it(softcx):
    begin = time.monotonic()
    result = shell(softcx, "setsid sleep 47.11 >/dev/null 2>&1 & echo started")
    assert result.out == "started\n"
    assert time.monotonic() - begin < 10
    assert subprocess.run(["pgrep", "-f", "sleep 47.11"], stdout=subprocess.DEVNULL).returncode == 1


def test_orphans_are_reaped(softcx):
    script = "(setsid sh -c : &) ; sleep 0.3; grep -l '^State:.Z' /proc/[0-9]*/status"
    assert shell(softcx, script).out == ""


def test_parent_that_ignores_the_end_of_children_changes_nothing():
    command = support.softcx_command(["null"], ["sh", "-c", "exit 6"])
    assert support.run(["env", "--ignore-signal=CHLD", *command], timeout=10).rc == 6


# The private view

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
        "wire_end": "cx1wire", "wire": {"kind": "cross", "peer": 2}}
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
    assert child.communicate(timeout=10)[0] == "received\n"


# What is left behind

def test_nothing_is_left_behind_when_the_command_ends(softcx):
    before = host_state()
    assert shell(softcx, "exit 3", ports=["null", "netdev:lo"]).rc == 3
    assert host_state() == before


@pytest.mark.parametrize("victim", ["launcher", "init"])
def test_nothing_is_left_behind_by_kill_9(victim):
    before = host_state()
    script = "fallocate -l 4M $(grep hugetlbfs /proc/mounts | cut -d' ' -f2)/held; echo ready; sleep 300"
    child = subprocess.Popen(support.softcx_command(["null"], ["sh", "-c", script]),
                             stdout=subprocess.PIPE, text=True, env=support.environment())
    assert child.stdout.readline() == "ready\n"
    init = init_of(child.pid)
    namespace = os.readlink(f"/proc/{init}/ns/net")
    assert len(processes_in(namespace)) >= 3
    os.kill(child.pid if victim == "launcher" else init, signal.SIGKILL)
    status = child.wait(timeout=5)
    assert status == (-signal.SIGKILL if victim == "launcher" else 128 + signal.SIGKILL)
    assert support.eventually(lambda: not processes_in(namespace))
    assert support.eventually(lambda: host_state() == before), host_state()


def test_nothing_is_left_behind_by_kill_9_of_a_forwarding_testpmd(testpmd_session):
    before = host_state()
    session = testpmd_session(ports=["loop"], opts=["-i", "--total-num-mbufs=4096"])
    session.cmd("start tx_first")
    namespace = os.readlink(f"/proc/{init_of(session.child.pid)}/ns/net")
    assert host_state()["hugepages"] < before["hugepages"]
    os.kill(session.child.pid, signal.SIGKILL)
    assert support.eventually(lambda: not processes_in(namespace))
    assert support.eventually(lambda: host_state() == before), host_state()


def test_terminate_is_forwarded_to_the_command():
    script = "trap 'echo terminated; exit 9' TERM; echo ready; while :; do sleep 0.1; done"
    child = subprocess.Popen(support.softcx_command(["null"], ["sh", "-c", script]),
                             stdout=subprocess.PIPE, text=True, env=support.environment())
    assert child.stdout.readline() == "ready\n"
    child.terminate()
    assert child.communicate(timeout=5)[0] == "terminated\n"
    assert child.returncode == 9


def test_interrupt_of_the_terminal_reaches_the_command_once():
    script = """n=0; trap 'n=$((n+1))' INT; echo ready
                for i in 1 2 3 4 5 6 7 8; do sleep 0.1; done; echo interrupts $n; exit 4"""
    argv = support.softcx_command(["null"], ["bash", "-c", script])
    child = pexpect.spawn(argv[0], argv[1:], timeout=10, encoding="utf-8",
                          env=support.environment())
    child.expect_exact("ready")
    child.sendintr()
    child.expect_exact("interrupts 1")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 4


def test_interrupt_ends_a_command_that_does_not_catch_it():
    argv = support.softcx_command(["null"], ["sh", "-c", "echo ready; exec sleep 300"])
    child = pexpect.spawn(argv[0], argv[1:], timeout=5, encoding="utf-8", env=support.environment())
    child.expect_exact("ready")
    child.sendintr()
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 128 + signal.SIGINT


def test_interrupt_sent_to_the_launcher_alone_is_forwarded():
    child = subprocess.Popen(support.softcx_command(["null"], ["sh", "-c", "echo ready; exec sleep 300"]),
                             stdout=subprocess.PIPE, text=True, env=support.environment(),
                             preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    assert child.stdout.readline() == "ready\n"
    child.send_signal(signal.SIGINT)
    assert child.wait(timeout=5) == 128 + signal.SIGINT


# Wrong usage

@pytest.mark.parametrize("ports, named", [
    (["wifi"], "'wifi'"),
    (["loop:1"], "'loop:1'"),
    (["cross:x"], "'cross:x'"),
    (["cross:1"], "port 1 is not cross:0"),
    (["cross:0"], "use loop"),
    (["cross:1", "loop"], "port 1"),
    (["pcap:"], "'pcap:'"),
    (["pcap:in="], "'pcap:in='"),
    (["pcap:in=a,speed=3"], "'speed=3'"),
    (["pcap:in=a,loop=many"], "'loop=many'"),
    (["pcap:in=/nonexistent.pcap"], "'/nonexistent.pcap'"),
    (["pcap:in=/tmp"], "'/tmp'"),
    (["pcap:out=/nonexistent/out.pcap"], "'/nonexistent/out.pcap'"),
    (["pcap:out=/dev/null"], "'/dev/null' cannot be written: it is not a regular file"),
    ([f"pcap:in={MAIN_CAPTURE},out={MAIN_CAPTURE}"], str(MAIN_CAPTURE)),
    (["netdev:nosuch0"], "'nosuch0'"),
    (["netdev:"], "'netdev:'"),
    (["null"] * 9, "at most 8"),
])
def test_wrong_wire_is_refused_in_one_sentence_that_names_it(softcx, ports, named):
    result = softcx(["true"], ports=ports)
    assert result.rc == 2
    assert named in result.err
    assert result.err.startswith("softcx: ") and result.err.count("\n") == 1


def test_interface_that_is_down_is_refused(softcx):
    # The inner softcx runs in the namespaces of the outer one, whose device is its own to set.
    inner = " ".join(map(str, support.softcx_command(["netdev:cx0"], ["true"])))
    result = shell(softcx, f"ip link set cx0 down; {inner}")
    assert result.rc == 2
    assert "'cx0' is down" in result.err and "ip link set cx0 up" in result.err


@pytest.mark.parametrize("arguments", [
    [], ["walk"], ["run"], ["run", "--port"], ["run", "--speed", "--", "true"],
    ["run", "true"], ["run", "--"]])
def test_wrong_usage_gives_2(arguments):
    result = support.run([support.SOFTCX, *arguments])
    assert result.rc == 2
    assert result.err


def test_help_names_every_wire():
    result = support.run([support.SOFTCX, "run", "--help"])
    assert result.rc == 0
    assert all(wire in result.out for wire in ("loop", "cross:N", "pcap:", "netdev:", "null"))


@pytest.mark.parametrize("lost, named", [("sys_admin", "CAP_SYS_ADMIN"),
                                         ("net_admin", "CAP_NET_ADMIN"),
                                         ("net_raw", "CAP_NET_RAW")])
def test_missing_capability_is_named(lost, named):
    drop = ["setpriv", f"--bounding-set=-{lost}", f"--inh-caps=-{lost}", "--"]
    result = support.run(drop + support.softcx_command(["netdev:lo"], ["true"]))
    assert result.rc == 2
    assert named in result.err and "root" in result.err and result.err.count("\n") == 1


def test_missing_preload_library_is_named(softcx):
    result = softcx(["true"], env={"SOFTCX_PRELOAD": "/nonexistent.so"})
    assert result.rc == 2
    assert "/nonexistent.so" in result.err


# Captures

def assert_refused(softcx, path, record, offset, readable, reason=""):
    result = softcx(["echo", "started"], ports=[f"pcap:in={path}"])
    assert result.rc == 2
    assert result.out == ""
    assert result.err.count("\n") == 1
    assert f"'{path}'" in result.err
    assert f"at record {record}, byte {offset} " in result.err
    assert re.search(rf"\b{readable} records? could be read before", result.err)
    assert reason in result.err


@pytest.mark.parametrize("name, row", support.shared_captures(positive=True))
def test_ethernet_captures_are_accepted(softcx, name, row):
    result = softcx(["true"], ports=[f"pcap:in={support.SHARED_DATA / name}"])
    assert result.rc == 0, result.err


@pytest.mark.parametrize("name, record, offset, readable, reason", [
    ("neg_dpkt_truncated_dns_2.pcap", 2, 240, 1, "16 header bytes, only got 7"),
    ("tcpdump_ipoib.pcap", 1, 24, 0, "IPOIB (242)"),
    ("gopacket_le_test100.pcapng", 2, 660, 1, "type"),
])
def test_bad_foreign_captures_are_refused(softcx, shared_data, name, record, offset, readable,
                                          reason):
    assert_refused(softcx, shared_data / name, record, offset, readable, reason)


def test_records_cut_by_the_snapshot_length_are_accepted_and_said(softcx, shared_data):
    result = softcx(["true"], ports=[f"pcap:in={shared_data / 'zeek_truncated-header.pcap'}"])
    assert result.rc == 0
    assert "24 of 24 records were cut" in result.err


def test_records_longer_than_the_snapshot_length_of_their_file_are_not_cut(softcx, shared_data):
    result = softcx(["true"], ports=[f"pcap:in={shared_data / 'trex_udp_rand_len_9k.pcap'}"])
    assert (result.rc, result.err) == (0, "")


def test_records_of_no_length_are_accepted_and_said(softcx, shared_data):
    result = softcx(["true"], ports=[f"pcap:in={shared_data / 'neg_tcpdump_bgp_vpn_rt-oobr.pcap'}"])
    assert result.rc == 0
    assert "2 of 38 records were cut" in result.err
    assert "37 of 38 records are shorter than an Ethernet header" in result.err


def pcap_bytes(order, nanoseconds, frames, link_type=1):
    magic = 0xa1b23c4d if nanoseconds else 0xa1b2c3d4
    records = b"".join(struct.pack(order + "IIII", 1, 2, len(f), len(f)) + f for f in frames)
    return struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 65535, link_type) + records


FRAMES = [bytes(range(60)), bytes(1000), bytes(14)]


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("nanoseconds", [False, True])
def test_both_byte_orders_and_both_resolutions_are_accepted(softcx, tmp_path, order, nanoseconds):
    path = tmp_path / "in.pcap"
    path.write_bytes(pcap_bytes(order, nanoseconds, FRAMES))
    assert softcx(["true"], ports=[f"pcap:in={path}"]).rc == 0


def test_pcapng_is_accepted(softcx, tmp_path):
    path = tmp_path / "in.pcapng"
    writer = PcapNgWriter(str(path))
    writer.write(FRAMES)
    writer.close()
    assert softcx(["true"], ports=[f"pcap:in={path}"]).rc == 0


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("keep, record, offset, readable", [
    (24 + 8, 1, 24, 0),                 # in the first record's header
    (24 + 16 + 59, 1, 24, 0),           # one byte of the first record is missing
    (24 + 16 + 60 + 16, 2, 100, 1),     # right after the second record's header
    (24 + 16 + 60 + 16 + 500, 2, 100, 1),
])
def test_capture_cut_in_the_middle_is_refused(softcx, tmp_path, order, keep, record, offset,
                                              readable):
    path = tmp_path / "cut.pcap"
    path.write_bytes(pcap_bytes(order, False, FRAMES)[:keep])
    assert_refused(softcx, path, record, offset, readable)


def test_capture_with_a_damaged_record_length_is_refused(softcx, tmp_path):
    path = tmp_path / "damaged.pcap"
    content = bytearray(pcap_bytes("<", False, FRAMES))
    content[100 + 8:100 + 12] = struct.pack("<I", 0x7fffffff)
    path.write_bytes(content)
    assert_refused(softcx, path, 2, 100, 1)


@pytest.mark.parametrize("content", [b"", b"\xd4\xc3\xb2\xa1\x02\0", b"no capture at all" * 9])
def test_file_that_is_no_capture_is_refused(softcx, tmp_path, content):
    path = tmp_path / "text"
    path.write_bytes(content)
    assert_refused(softcx, path, 1, 0, 0)


def test_capture_without_records_is_refused(softcx, tmp_path):
    path = tmp_path / "none.pcap"
    path.write_bytes(pcap_bytes("<", False, []))
    assert_refused(softcx, path, 1, 24, 0)


def test_capture_of_another_link_type_is_refused(softcx, tmp_path):
    path = tmp_path / "raw.pcap"
    writer = PcapWriter(str(path), linktype=101)
    writer.write(b"\x45" + bytes(30))
    writer.close()
    assert_refused(softcx, path, 1, 24, 0, "RAW (12)")


def test_refused_run_creates_no_output_capture(softcx, tmp_path):
    bad, out = tmp_path / "bad.pcap", tmp_path / "out.pcap"
    bad.write_bytes(b"bad")
    assert softcx(["true"], ports=[f"pcap:in={bad},out={out}"]).rc == 2
    assert not out.exists()


def test_output_capture_of_an_earlier_run_is_emptied(softcx, tmp_path):
    out = tmp_path / "out.pcap"
    out.write_bytes(b"old")
    assert softcx(["true"], ports=[f"pcap:out={out}"]).rc == 0
    assert b"old" not in out.read_bytes()


# The report

def report_script(text):
    """A command that writes a report as the preload library does."""
    return ["/usr/bin/python3", "-c", "import json, os, sys\n"
            "fd = json.load(open(os.environ['SOFTCX_CONFIG']))['report_fd']\n"
            "os.write(fd, sys.argv[1].encode())", text]


def test_report_accounts_for_every_packet_by_cause(softcx):
    result = softcx(report_script(json.dumps({"ports": [{
        "index": 0, "rx_wire_packets": 10, "rx_wire_bytes": 640, "rx_delivered": 7,
        "rx_dropped": {"rx_runt": 2, "no_rule": 1, "rule_drop": 0}, "tx_packets": 5,
        "tx_bytes": 320, "tx_dropped": {"tx_oversize": 1}, "cut_records": 4,
        "replay": {"total": 12, "left": 2}}], "violations": ["a doorbell went backwards"]})))
    assert result.rc == 0
    assert "received 10 packets (640 bytes) = delivered 7 + dropped 3 (no_rule 1, rx_runt 2)" in result.err
    assert "sent 5 packets (320 bytes), dropped 1 (tx_oversize 1)" in result.err
    assert "2 of 12 records" in result.err
    assert "4 cut records" in result.err
    assert "violation: a doorbell went backwards" in result.err
    assert "rule_drop" not in result.err and "add up" not in result.err


def test_report_says_when_packets_are_missing(softcx):
    result = softcx(report_script(json.dumps(
        {"ports": [{"index": 0, "rx_wire_packets": 10, "rx_delivered": 7}], "violations": []})))
    assert "do not add up: 10 against 7" in result.err


def test_report_larger_than_a_pipe_does_not_block_the_command(softcx):
    violations = ["v" * 100] * 1000
    report = json.dumps({"ports": [], "violations": violations})
    result = softcx(["/usr/bin/python3", "-c", report_script("")[2].replace(
        "sys.argv[1]", repr(report))])
    assert result.rc == 0
    assert result.err.count("violation: ") == 1000


def test_damaged_report_is_said(softcx):
    result = softcx(report_script('{"ports": [{"index"'))
    assert result.rc == 0
    assert "damaged" in result.err


def test_command_that_opens_no_port_causes_no_report(softcx):
    assert softcx(["true"]).err == ""
