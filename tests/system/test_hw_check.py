# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""tools/hw-check: its verdicts on sample machines, and the whole of it on softcx's ports."""
import json
import re

import pytest
import sample_machine as sample
import support

HW_CHECK = support.ROOT / "tools" / "hw-check"
PORT = sample.PORTS[0]
PCI = f"/sys/bus/pci/devices/{PORT}"
CROSS = ("cross:1", "cross:0")
SOFT_PORTS = ("0000:ca:00.0", "0000:ca:00.1")


@pytest.fixture
def machine(tmp_path):
    return sample.SampleMachine(tmp_path)


def check(machine, *ports):
    """(exit status, {(check, subject): finding})"""
    result = support.run([HW_CHECK, *(ports or sample.PORTS), "--json", "--sysroot", machine.folder])
    report = json.loads(result.out)
    return result.rc, {(f["check"], f["subject"]): f for f in report["findings"]}


def test_machine_in_order_passes_every_check(machine):
    status, findings = check(machine)
    assert [f for f in findings.values() if f["status"] != "PASS"] == []
    assert status == 0 and len(findings) == 2 * 12 + 2 + 3 + 3
    assert "PIX" in findings["pcie-path", PORT]["text"]


def write(path, text):
    return lambda machine: machine.write(path, text)


def remove(path):
    return lambda machine: machine.remove(path)


def elsewhere(place, numa_node):
    return lambda machine: machine.add_gpu(place, numa_node)


def nic(**changes):
    return lambda machine: machine.write_nic_info(PORT, **changes)


def no_way_to_gpu_memory(machine):
    machine.remove("/sys/module/nvidia_peermem")
    machine.write(f"/answers/cuda-{sample.GPU}-124", "0")


def unknown_way_to_gpu_memory(machine):
    machine.remove("/sys/module/nvidia_peermem")
    machine.remove(f"/answers/cuda-{sample.GPU}-124")


def bonded(machine):
    machine.write("/sys/class/net/bond7/mtu", "1500")
    (machine.folder / "sys/class/net/eth0/master").symlink_to("../bond7")


def promiscuous_off_on_vf(machine):
    machine.write(f"{PCI}/device", "0x101e")
    machine.write("/sys/class/net/eth0/flags", "0x1003")


def switched_off(machine):
    machine.remove("/sys/class/net/eth0/carrier")
    machine.write("/sys/class/net/eth0/flags", "0x1002")


BRIDGE = f"/sys/bus/pci/devices/{sample.UPSTREAM}"
ETH = "/sys/class/net/eth0"
VERDICTS = [
    ("link", "FAIL", write(f"{ETH}/carrier", "0"), "cable"),
    ("link", "FAIL", switched_off, "ip link set dev eth0 up"),
    ("link", "UNKNOWN", remove(f"{ETH}/carrier"), "ip link show"),
    ("mtu", "FAIL", write(f"{ETH}/mtu", "1400"), "mtu 1500"),
    ("mtu", "UNKNOWN", remove(f"{ETH}/mtu"), "ip link show"),
    ("promiscuous", "PASS", write(f"{ETH}/flags", "0x1003"), ""),
    ("promiscuous", "WARN", promiscuous_off_on_vf, "promisc on"),
    ("promiscuous", "UNKNOWN", remove(f"{ETH}/flags"), "ip link show"),
    ("vf-trust", "PASS", lambda m: m.make_vf(True), ""),
    ("vf-trust", "FAIL", lambda m: m.make_vf(False), "ip link set dev pf0 vf 3 trust on"),
    ("vf-trust", "UNKNOWN", lambda m: m.make_vf(None), "trust on"),
    ("vf-trust", "UNKNOWN", write(f"{PCI}/device", "0x101e"), "on its host"),
    ("vf-trust", "UNKNOWN", remove(f"{PCI}/device"), "lspci"),
    ("bond", "FAIL", bonded, "nomaster"),
    ("bond", "FAIL", nic(bonded=True), "LAG port affinity"),
    ("bond", "UNKNOWN", remove(f"/answers/nic-info-{PORT}"), "other checks"),
    ("min-inline", "FAIL", nic(min_inline_mode=2), f"pci/{PORT} inline-mode none"),
    ("min-inline", "UNKNOWN", remove(f"/answers/nic-info-{PORT}"), "verbs"),
    ("verbs", "FAIL", remove(f"/answers/nic-info-{PORT}"), "CAP_NET_RAW"),
    ("dma-buf", "WARN", nic(takes_dmabuf=False), "nvidia-peermem"),
    ("dma-buf", "UNKNOWN", remove(f"/answers/nic-info-{PORT}"), "verbs"),
    ("pcie-path", "PASS", elsewhere(f"pci0000:00/{sample.ROOT_PORT}/0000:09:00.0/0000:0a:00.0", "0"), ""),
    ("pcie-path", "WARN", elsewhere("pci0000:00/0000:00:02.0", "0"), "PCIe switch"),
    ("pcie-path", "WARN", elsewhere("pci0000:80/0000:80:01.0", "0"), "PCIe switch"),
    ("pcie-path", "WARN", elsewhere("pci0000:80/0000:80:01.0", "1"), "PCIe switch"),
    ("pcie-path", "UNKNOWN", elsewhere("pci0000:80/0000:80:01.0", "-1"), "nvidia-smi topo"),
    ("pcie-path", "UNKNOWN", remove(f"/sys/bus/pci/devices/{sample.GPU}"), "host threads"),
    ("pcie-link", "WARN", write(f"{PCI}/current_link_width", "8"), "slot"),
    ("pcie-link", "WARN", write(f"{BRIDGE}/current_link_speed", "16.0 GT/s PCIe"), "slot"),
    ("pcie-link", "UNKNOWN", remove(f"{PCI}/max_link_speed"), "LnkSta"),
    ("pcie-link", "UNKNOWN", remove(f"{BRIDGE}/max_link_speed"), "LnkSta"),
    ("acs", "WARN", write(f"{BRIDGE}/config", sample.config_space(0x1d)),
     f"setpci -s {sample.UPSTREAM} ECAP_ACS+6.w=0"),
    ("acs", "PASS", write(f"{BRIDGE}/config", sample.config_space(0x01)), ""),
    ("acs", "UNKNOWN", write(f"{BRIDGE}/config", bytes(64)), "root"),
    ("iommu", "PASS", write(f"{PCI}/iommu_group/type", "identity"), ""),
    ("iommu", "WARN", write(f"{PCI}/iommu_group/type", "DMA-FQ"), "iommu=pt"),
    ("iommu", "UNKNOWN", remove("/sys/class/iommu"), "dmesg"),
]
MACHINE_VERDICTS = [
    ("doorbells", "", "UNKNOWN", remove("/proc/driver/nvidia/params"), "modprobe nvidia"),
    ("gpu-memory", sample.GPU, "PASS", remove("/sys/module/nvidia_peermem"), ""),
    ("gpu-memory", sample.GPU, "FAIL", no_way_to_gpu_memory, "modprobe nvidia-peermem"),
    ("gpu-memory", sample.GPU, "UNKNOWN", unknown_way_to_gpu_memory, "modprobe nvidia-peermem"),
    ("write-ordering", sample.GPU, "WARN", write(f"/answers/cuda-{sample.GPU}-118", "0"), "gpu-pinned"),
    ("write-ordering", sample.GPU, "UNKNOWN", remove(f"/answers/cuda-{sample.GPU}-118"), "driver"),
    ("pcie-link", sample.GPU, "WARN",
     write(f"/sys/bus/pci/devices/{sample.GPU}/current_link_width", "8"), "slot"),
    ("cap_net_raw", "", "FAIL", write("/proc/self/status", "CapEff:\t0000000000001000\n"), "root"),
    ("cap_net_raw", "", "UNKNOWN", remove("/proc/self/status"), "capsh"),
    ("cap_net_admin", "", "FAIL", write("/proc/self/status", "CapEff:\t0000000000002000\n"), "root"),
    ("hugepages", "", "UNKNOWN",
     remove("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages"), "/proc/meminfo"),
    ("hugepages", "", "FAIL",
     write("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "0"), "nr_hugepages"),
    ("hugepages", "", "WARN",
     write("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "64"), "nr_hugepages"),
]


def name_of(value):
    return value if isinstance(value, str) else ""


@pytest.mark.parametrize("name, status, spoil, remedy", VERDICTS, ids=name_of)
def test_one_thing_of_a_port_out_of_order_is_one_other_verdict(machine, name, status, spoil, remedy):
    spoil(machine)
    rc, findings = check(machine)
    finding = findings[name, PORT]
    assert finding["status"] == status, finding
    assert remedy in finding["remedy"] and finding["evidence"]
    assert rc == (1 if any(f["status"] == "FAIL" for f in findings.values()) else 0)


@pytest.mark.parametrize("name, subject, status, spoil, remedy", MACHINE_VERDICTS, ids=name_of)
def test_one_thing_of_the_machine_out_of_order_is_one_other_verdict(
        machine, name, subject, status, spoil, remedy):
    spoil(machine)
    finding = check(machine)[1][name, subject]
    assert finding["status"] == status, finding
    assert remedy in finding["remedy"]


def test_what_cannot_be_read_never_passes(tmp_path):
    """An empty machine: the PCI functions alone are there."""
    machine = sample.SampleMachine(tmp_path / "whole")
    bare = tmp_path / "bare"
    (bare / "sys/bus/pci/devices" / PORT).mkdir(parents=True)
    machine.folder = bare
    _, findings = check(machine, PORT)
    assert {f["status"] for f in findings.values()} == {"FAIL", "UNKNOWN"}
    assert all(f["remedy"] for f in findings.values())


def test_host_threads_as_gpu_leave_the_gpus_checks_open(machine):
    _, findings = check(machine, PORT, "--gpu=host")
    assert findings["gpu-memory", ""]["status"] == findings["pcie-path", PORT]["status"] == "UNKNOWN"


def test_port_that_is_not_there_fails(machine):
    rc, findings = check(machine, "0000:99:00.0")
    assert rc == 1 and findings["port", "0000:99:00.0"]["status"] == "FAIL"


@pytest.mark.parametrize("arguments", [(), ("ca:00",), (*SOFT_PORTS, "0000:ca:00.2"), (PORT, PORT),
                                       (PORT, "--frobnicate")], ids=str)
def test_wrong_usage_gives_2(arguments):
    assert support.run([HW_CHECK, *arguments]).rc == 2


def test_checks_and_system_tests_run_on_software_ports(softcx):
    chosen = "test_ringside_errors or circulate and macswap"
    result = softcx([HW_CHECK, *SOFT_PORTS, "--select", chosen], ports=CROSS, timeout=300)
    assert result.rc == 0, result.out + result.err
    assert not re.search(r"^(FAIL|WARN)", result.out, re.MULTILINE), result.out
    assert re.search(r"system tests: \d+ passed", result.out)
    assert "test_frames_circulate_and_none_is_lost[macswap-4] PASSED" in result.out


def test_system_test_that_needs_a_capture_wire_is_skipped_by_name(softcx):
    """And no test that passed is no success."""
    result = softcx([HW_CHECK, *SOFT_PORTS, "--select", "every_kind_of_capture"], ports=CROSS,
                    timeout=300)
    assert result.rc == 1 and re.search(r"system tests: \d+ skipped", result.out), result.out
    assert "test_every_kind_of_capture_file_is_replayed[gpu-pcapng-le] SKIPPED" in result.out


def test_system_test_that_fails_fails_the_whole(softcx):
    """No check can see it: the NIC loses its send queues while packets run."""
    result = softcx([HW_CHECK, *SOFT_PORTS, "--select", "circulate and io-1"], ports=CROSS,
                    faults="tx-error:packet=500", timeout=300)
    assert result.rc == 1 and "0 FAIL" in result.out and "system tests: 1 failed" in result.out


@pytest.mark.parametrize("faults, name, status", [
    ("link-delay:ms=1500", "link", "PASS"), ("link-delay:ms=60000", "link", "FAIL"),
    ("mtu:value=1400", "mtu", "FAIL"), ("bond", "bond", "FAIL"), ("min-inline", "min-inline", "FAIL"),
    ("no-dmabuf", "dma-buf", "WARN"), ("vf-untrusted", "vf-trust", "UNKNOWN"),
    ("vf-untrusted", "promiscuous", "WARN")])
def test_fault_of_a_port_is_found(softcx, faults, name, status):
    result = softcx([HW_CHECK, *SOFT_PORTS, "--json", "--no-tests", "--wait=2.5"], ports=CROSS,
                    faults=f"{faults}:port=1")
    report = json.loads(result.out)
    found = {f["subject"]: f["status"] for f in report["findings"] if f["check"] == name}
    assert found[SOFT_PORTS[1]] == status, result.out
    assert found[SOFT_PORTS[0]] == "PASS"  # the other port does not have it
    assert result.rc == (1 if status == "FAIL" else 0)
