// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/cli/options.hpp"

#include <gtest/gtest.h>

#include "lib/base/error.hpp"
#include "lib/cli/option_table.hpp"

namespace {

using namespace ringside;
using cli::TestpmdOptions;

using Arguments = std::vector<std::string>;

/// Everything behind `testpmd -l 0-1 --`.
TestpmdOptions parse(const Arguments& own) {
  Arguments arguments = {"testpmd", "-l", "0-1", "--"};
  arguments.insert(arguments.end(), own.begin(), own.end());
  return cli::parse_testpmd_options(arguments);
}

std::string error_of(const Arguments& arguments) {
  try {
    cli::parse_testpmd_options(arguments);
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), 2) << error.what();
    return error.what();
  }
  return "accepted";
}

TEST(Options, without_any_the_data_path_is_the_cpus) {
  const TestpmdOptions options = parse({});
  EXPECT_EQ(options.runtime.mempool, MempoolKind::kNative);
  EXPECT_EQ(options.runtime.datapath, Datapath::kCpu);
  EXPECT_EQ(options.runtime.forward_mode, "io");
  EXPECT_FALSE(options.interactive);
  EXPECT_EQ(options.stats_period, 0U);
}

TEST(Options, gpu_pool_brings_the_gpu_data_path) {
  EXPECT_EQ(parse({"--mp-alloc=gpu"}).runtime.datapath, Datapath::kGpu);
  EXPECT_EQ(parse({"--mp-alloc=gpu", "--datapath=cpu"}).runtime.datapath, Datapath::kCpu);
}

TEST(Options, a_launch_by_the_cpu_brings_its_own_data_path) {
  const auto parse_launch = [](const char* launch) {
    return parse({"--mp-alloc=gpu-pinned", launch}).runtime;
  };
  EXPECT_EQ(parse_launch("--gpu-launch=persistent").datapath, Datapath::kGpu);
  EXPECT_EQ(parse_launch("--gpu-launch=per-burst").datapath, Datapath::kLaunch);
  EXPECT_EQ(parse_launch("--gpu-launch=per-burst").gpu_launch, GpuLaunch::kPerBurst);
  EXPECT_EQ(parse_launch("--gpu-launch=graph").gpu_launch, GpuLaunch::kGraph);
  EXPECT_EQ(parse_launch("--gpu-launch=comm-list").gpu_launch, GpuLaunch::kCommList);
  EXPECT_EQ(parse({"--mp-alloc=gpu", "--gpu-launch=graph", "--gpu-block-threads=32"})
                .runtime.threads_per_block,
            32U);
}

TEST(Options, every_option_sets_its_field) {
  const TestpmdOptions options = parse({"-i",
                                        "-a",
                                        "--nb-cores=2",
                                        "--rxq",
                                        "4",
                                        "--txq=8",
                                        "--rxd=512",
                                        "--txd",
                                        "256",
                                        "--burst=64",
                                        "--forward-mode=macswap",
                                        "--mp-alloc=gpu",
                                        "--gpu-id=3",
                                        "--datapath=gpu",
                                        "--total-num-mbufs=4096",
                                        "--mbuf-size=9216",
                                        "--max-pkt-len=9000",
                                        "--stats-period=5",
                                        "--gpu-rings=pinned",
                                        "--gpu-block-threads=32",
                                        "--trace=a,b.json,events=4096",
                                        "--txpkts=1024",
                                        "--no-flush-rx"});
  EXPECT_TRUE(options.interactive);
  EXPECT_TRUE(options.auto_start);
  EXPECT_EQ(options.stats_period, 5U);
  const RuntimeConfig& runtime = options.runtime;
  EXPECT_EQ(runtime.nb_cores, 2);
  EXPECT_EQ(runtime.rx_queues, 4);
  EXPECT_EQ(runtime.tx_queues, 8);
  EXPECT_EQ(runtime.rx_descriptors, 512);
  EXPECT_EQ(runtime.tx_descriptors, 256);
  EXPECT_EQ(runtime.burst, 64);
  EXPECT_EQ(runtime.forward_mode, "macswap");
  EXPECT_EQ(runtime.mempool, MempoolKind::kGpu);
  EXPECT_EQ(runtime.gpu_ids, std::vector{3});
  EXPECT_EQ(runtime.total_mbufs, 4096U);
  EXPECT_EQ(runtime.mbuf_size, 9216);
  EXPECT_EQ(runtime.max_packet_length, 9000U);
  EXPECT_EQ(runtime.trace_file, "a,b.json");
  EXPECT_EQ(runtime.trace_events, 4096U);
  EXPECT_EQ(runtime.threads_per_block, 32U);
  EXPECT_EQ(runtime.rings, GpuRings::kPinned);
  EXPECT_EQ(runtime.own_frame_length, 1024U);
  EXPECT_EQ(runtime.eal_args, (Arguments{"testpmd", "-l", "0-1"}));
}

TEST(Options, strides_come_with_the_buffers_that_hold_them) {
  const Arguments gpu = {"testpmd", "-a", "0000:ca:00.0", "--", "--mp-alloc=gpu"};
  EXPECT_FALSE(cli::parse_testpmd_options(gpu).runtime.strides);
  Arguments line = gpu;
  line.push_back("--rx-stride-size=128");
  RuntimeConfig runtime = cli::parse_testpmd_options(line).runtime;
  ASSERT_TRUE(runtime.strides);
  EXPECT_EQ(runtime.strides->bytes, 128U);
  EXPECT_EQ(runtime.strides->count, 64U);
  EXPECT_EQ(runtime.mbuf_size, 0) << "filled in";
  line.insert(line.end(), {"--rx-stride-num=32", "--mbuf-size=9000"});
  runtime = cli::parse_testpmd_options(line).runtime;
  EXPECT_EQ(runtime.strides->count, 32U);
  EXPECT_EQ(runtime.mbuf_size, 9000);
}

TEST(Options, line_of_a_public_guide_is_taken) {
  const Arguments line = {"testpmd",
                          "-l",
                          "2-5",
                          "-n",
                          "4",
                          "-a",
                          "0000:ca:00.0",
                          "-a",
                          "0000:17:00.0",
                          "--",
                          "-i",
                          "--nb-cores=2",
                          "--forward-mode=rxonly",
                          "--mp-alloc=gpu",
                          "--gpu-id=0"};
  const TestpmdOptions options = cli::parse_testpmd_options(line);
  EXPECT_EQ(options.runtime.eal_args, Arguments(line.begin(), line.begin() + 9));
  EXPECT_FALSE(options.auto_start) << "the -a before -- are NICs";
  EXPECT_EQ(options.runtime.forward_mode, "rxonly");
}

TEST(Options, gpus_are_one_or_several) {
  EXPECT_EQ(parse({"--mp-alloc=gpu", "--gpu-id=2,0,2"}).runtime.gpu_ids, (std::vector{2, 0, 2}));
}

TEST(Options, who_rings_doorbells_is_told) {
  EXPECT_EQ(parse({"--mp-alloc=gpu"}).runtime.doorbells, GpuDoorbells::kAuto);
  EXPECT_EQ(parse({"--mp-alloc=gpu", "--gpu-doorbells=cpu"}).runtime.doorbells, GpuDoorbells::kCpu);
}

TEST(Options, last_of_a_repeated_option_counts) {
  EXPECT_EQ(parse({"--rxq=2", "--rxq=4"}).runtime.rx_queues, 4);
}

TEST(Options, tx_first_is_for_unattended_runs) {
  EXPECT_TRUE(parse({"--tx-first"}).tx_first);
}

TEST(Options, command_files_are_kept_in_order) {
  EXPECT_EQ(parse({"--cmdline-file=/dev/null", "--cmdline-file", "/dev/zero"}).command_files,
            (Arguments{"/dev/null", "/dev/zero"}));
}

TEST(Options, help_is_found_on_both_sides) {
  EXPECT_TRUE(parse({"--help"}).help);
  EXPECT_TRUE(parse({"-h"}).help);
  EXPECT_TRUE(cli::parse_testpmd_options(Arguments{"testpmd", "--help"}).help);
  EXPECT_TRUE(cli::parse_testpmd_options(Arguments{"testpmd", "-h", "--", "--bogus"}).help);
}

TEST(Options, help_names_every_option) {
  const std::string usage = cli::testpmd_usage("ringside testpmd");
  EXPECT_NE(usage.find("Usage: ringside testpmd [EAL options] -- [testpmd options]\n"),
            std::string::npos);
  for (const cli::OptionSpec& spec : cli::option_table()) {
    EXPECT_NE(usage.find("--" + std::string(spec.name)), std::string::npos) << spec.name;
  }
  EXPECT_NE(usage.find("  --rxq=N: RX queues of each port (default 1).\n"), std::string::npos);
}

struct BadOption {
  Arguments own;
  const char* error;
};

class BadOptions : public testing::TestWithParam<BadOption> {};

TEST_P(BadOptions, get_one_sentence_that_names_the_value) {
  Arguments arguments = {"testpmd", "--"};
  arguments.insert(arguments.end(), GetParam().own.begin(), GetParam().own.end());
  EXPECT_EQ(error_of(arguments), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Options, BadOptions,
    testing::Values(
        BadOption{{"--rqx=4"}, "unknown option \"--rqx\": did you mean --rxq?"},
        BadOption{{"--foward-mode", "io"},
                  "unknown option \"--foward-mode\": did you mean --forward-mode?"},
        BadOption{{"--portmask=0x3"}, "unknown option \"--portmask\": --help lists the options"},
        BadOption{{"-x"}, "unknown option \"-x\": --help lists the options"},
        BadOption{{"-"}, "unknown option \"-\": --help lists the options"},
        BadOption{{"--"}, "unknown option \"--\": --help lists the options"},
        BadOption{{"--rxq=0"}, "--rxq: \"0\" is not possible: give a number from 1 to 1024"},
        BadOption{{"--rxq=-1"}, "--rxq: \"-1\" is not possible: give a number from 1 to 1024"},
        BadOption{{"--rxq=four"}, "--rxq: \"four\" is not possible: give a number from 1 to 1024"},
        BadOption{{"--rxq=4x"}, "--rxq: \"4x\" is not possible: give a number from 1 to 1024"},
        BadOption{{"--rxq="}, "--rxq needs a value: --help shows how it is written"},
        BadOption{{"--rxq"}, "--rxq needs a value: --help shows how it is written"},
        BadOption{{"--rxd=65536"},
                  "--rxd: \"65536\" is not possible: give a number from 1 to 65535"},
        BadOption{{"--max-pkt-len=85"},
                  "--max-pkt-len: \"85\" is not possible: give a number from 86 to 65535"},
        BadOption{{"--burst=99999999999999999999"},
                  "--burst: \"99999999999999999999\" is not possible: give a number from 1 to 512"},
        BadOption{{"--interactive=no"},
                  "--interactive takes no value: --help shows how it is "
                  "written"},
        BadOption{{"--mp-alloc=xmem"},
                  "--mp-alloc: \"xmem\" is not supported: must be native, gpu or gpu-pinned"},
        BadOption{{"--datapath=fpga"}, "--datapath: \"fpga\" is not supported: must be gpu or cpu"},
        BadOption{{"--datapath=gpu"},
                  "--datapath=gpu needs packets in GPU memory: add --mp-alloc=gpu"},
        BadOption{{"--mp-alloc=native", "--datapath=gpu"},
                  "--datapath=gpu needs packets in GPU memory: add --mp-alloc=gpu"},
        BadOption{{"--gpu-id=1"},
                  "--gpu-id=1 has no effect without --mp-alloc=gpu: add "
                  "--mp-alloc=gpu or leave it out"},
        BadOption{{"--mp-alloc=gpu", "--gpu-id=1,x"},
                  "--gpu-id: \"x\" is not possible: give a number from 0 to 32767"},
        BadOption{{"--mp-alloc=gpu", "--datapath=cpu", "--gpu-doorbells=cpu"},
                  "--gpu-doorbells=cpu has no effect where the CPU drives the rings: use "
                  "--mp-alloc=gpu with --datapath=gpu or leave it out"},
        BadOption{{"--gpu-rings=device"},
                  "--gpu-rings=device has no effect where the CPU drives the rings: use "
                  "--mp-alloc=gpu with --datapath=gpu or leave it out"},
        BadOption{
            {"--gpu-launch=lazy"},
            "--gpu-launch: \"lazy\" is not supported: must be persistent, per-burst, graph or "
            "comm-list"},
        BadOption{{"--gpu-launch=graph"},
                  "--gpu-launch=graph needs packets that the GPU reaches: add --mp-alloc=gpu or "
                  "--mp-alloc=gpu-pinned"},
        BadOption{{"--mp-alloc=gpu", "--gpu-launch=graph", "--datapath=cpu"},
                  "--gpu-launch=graph says by itself who drives the rings: leave --datapath out"},
        BadOption{{"--gpu-block-threads=32"},
                  "--gpu-block-threads=32 has no effect on the CPU's data path: use "
                  "--mp-alloc=gpu with --datapath=gpu or leave it out"},
        BadOption{{"--trace=t.json"},
                  "--trace has no effect where the CPU drives the rings: use --mp-alloc=gpu with "
                  "--datapath=gpu or leave it out"},
        BadOption{{"--mp-alloc=gpu", "--trace=,events=64"},
                  "--trace needs a file: give --trace=FILE"},
        BadOption{{"--mp-alloc=gpu", "--trace=t.json,events=5"},
                  "--trace=FILE,events: \"5\" is not possible: give a number from 16 to 16777216"},
        BadOption{{"-i", "--tx-first"},
                  "--tx-first does not go with --interactive: type start "
                  "tx_first at the prompt"},
        BadOption{{"--vdev=net_null0"},
                  "\"--vdev=net_null0\" is an EAL option: EAL options come before --"},
        BadOption{{"-l", "0-1"}, "\"-l\" is an EAL option: EAL options come before --"},
        BadOption{{"-n4"}, "\"-n4\" is an EAL option: EAL options come before --"},
        BadOption{{"-a", "0000:ca:00.0"},
                  "unexpected argument \"0000:ca:00.0\": what stands behind -- are testpmd "
                  "options, and NICs (-a NIC) come before it"},
        BadOption{{"--cmdline-file=/nonexistent/commands"},
                  "--cmdline-file: cannot read \"/nonexistent/commands\": ENOENT (No such file or "
                  "directory)"}));

TEST(Options, testpmd_option_before_the_separator_is_said) {
  EXPECT_EQ(error_of({"testpmd", "-l", "0-1", "--rxq=4"}),
            "\"--rxq\" is a testpmd option: testpmd options come after --");
  EXPECT_EQ(error_of({"testpmd", "-i"}),
            "\"-i\" is a testpmd option: testpmd options come after --");
}

TEST(Options, control_characters_do_not_reach_the_terminal) {
  EXPECT_EQ(error_of({"testpmd", "--", "--mp-alloc=\033[2J"}),
            "--mp-alloc: \"\\x1b[2J\" is not supported: must be native, gpu or gpu-pinned");
}

}  // namespace
