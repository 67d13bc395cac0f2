# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""What cannot work is said in one sentence with the value and the remedy, before anything runs."""
import ports as cabling
import pytest
import support

GPU = ["--mp-alloc=gpu", "--gpu-id=0"]
HOST_GPU = "--vdev=gpu_host0"
NIC = ["-a", cabling.nic]
VIRTIO = "0000:00:03.0"


def message(result):
    lines = [line for line in result.err.splitlines() if line.startswith("ringside: ")]
    assert len(lines) == 1, result.err
    return lines[0]


def start(softcx, eal, opts, command=()):
    return softcx([*command, support.RINGSIDE, "testpmd", *support.EAL, *eal, "--", "-i", *opts],
                  ports=[cabling.QUIET], stdin="quit\n")


@pytest.mark.parametrize("eal, opts, words", [
    (["-a", "0000:99:00.0", HOST_GPU], GPU, ["0000:99:00.0", cabling.nic]),
    (["-b", cabling.nic, "-b", cabling.nic2, HOST_GPU], GPU, ["no mlx5 NIC", "softcx run"]),
    (["-a", cabling.nic, "-b", "0000:01:00.0"], GPU, ["-a and -b"]),
    (NIC, GPU, ["no GPU", "--vdev=gpu_host0"]),
    ([*NIC, HOST_GPU], ["--mp-alloc=gpu", "--gpu-id=3"], ["GPU 3", "gpu_host0"]),
    ([*NIC, HOST_GPU], [*GPU, "--rxd=1000"], ["--rxd 1000", "power of two", "1024"]),
    ([*NIC, HOST_GPU], [*GPU, "--rxq=1001", "--txq=1001"], ["--rxq 1001", "999"]),
    ([*NIC, HOST_GPU], [*GPU, "--rxq=2"], ["--rxq 2", "--txq 1"]),
    ([*NIC, HOST_GPU], [*GPU, "--total-num-mbufs=1000"], ["1000", "1056"]),
    ([*NIC, HOST_GPU], [*GPU, "--max-pkt-len=3000"], ["3000", "3128"]),
    ([*NIC, HOST_GPU], [*GPU, "--forward-mode=foo"], ["foo", "macswap"]),
    ([*NIC, HOST_GPU], [*GPU, "--datapath=cpu", "--nb-cores=9"], ["--nb-cores 9", "-l"]),
], ids=lambda value: " ".join(value))
def test_wrong_option_is_a_usage_error(softcx, eal, opts, words):
    result = start(softcx, eal, opts)
    assert result.rc == 2, result.err
    for word in words:
        assert word in message(result)


@pytest.mark.skipif(not (support.Path("/sys/bus/pci/devices") / VIRTIO).exists(),
                    reason="needs another PCI NIC")
def test_nic_that_is_not_mlx5_is_refused(softcx):
    result = start(softcx, ["-a", VIRTIO, HOST_GPU], GPU)
    assert result.rc == 2 and VIRTIO in message(result) and "not mlx5" in message(result)


@pytest.mark.parametrize("memory", ([], ["--in-memory"]), ids=str)
def test_machine_without_hugepages_is_told_how_to_add_some(softcx, tmp_path, memory):
    empty = tmp_path / "hugepages" / "hugepages-2048kB"
    empty.mkdir(parents=True)
    for name in ("nr", "free", "resv", "surplus"):
        (empty / f"{name}_hugepages").write_text("0\n")
    hide = "; ".join(f"mount --bind {empty.parent} {place}" for place in (
        "/sys/kernel/mm/hugepages", "/sys/devices/system/node/node0/hugepages"))
    result = softcx(["unshare", "-m", "sh", "-c", f'{hide}; exec "$@"', "sh", support.RINGSIDE, "testpmd", "-l", "0-1",
                     "--no-telemetry", *memory, *NIC, HOST_GPU, "--", "-i", *GPU], stdin="quit\n")
    assert result.rc == 1
    text = message(result)
    assert "0 of 0 pages of 2048 kB are free" in text and "echo 256 >" in text


def test_missing_capability_is_named(softcx):
    result = start(softcx, [*NIC, HOST_GPU], [*GPU, "--max-pkt-len=9000", "--mbuf-size=9200"],
                   command=["setpriv", "--bounding-set=-net_admin", "--inh-caps=-net_admin"])
    assert result.rc == 1 and "CAP_NET_ADMIN" in message(result)
