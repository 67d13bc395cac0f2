// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// How many WQEs a second GPU blocks post on send queues in GPU memory, with a NIC model on other
// SMs at the other end. Prints a table; --output FILE writes it as JSON, too. Fails if any WQE was
// lost or wrong, and first of all if the model overlooks a fault that is planted. What a row means:
// a block (of the peer's put: a warp) posts `burst` WQEs, then the next; the rate is that of WQEs
// posted, read by the NIC and completed. To repeat it:
//
//   meson setup build -Dbench=true -Dgpunetio=FOLDER/include   (github.com/NVIDIA-DOCA/gpunetio)
//   ninja -C build tests/bench/gpu_send/gpu_send_bench
//   build/tests/bench/gpu_send/gpu_send_bench --output result.json
//
// --bursts N posts N bursts a block in place of what the row says: few for compute-sanitizer, say.
// --packets N posts so many that each queue carries N packets at least: numbered, so that the model
// sees whether any of them is lost, doubled or out of order. --only TEXT leaves out rows whose name
// does not hold it.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <fstream>
#include <string>

#include "tests/bench/gpu_send/cases.hpp"
#include "tests/bench/gpu_send/rig.cuh"

namespace ringside::bench {
namespace {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Options {
  const char* output = nullptr;
  int repeats = 5;
  std::uint32_t bursts = 0;   // 0: as the row says
  std::uint64_t packets = 0;  // a queue, at least; 0: by the bursts
  std::string only;
};

void apply(const Options& options, Case& axes) {
  if (options.bursts != 0) axes.bursts = options.bursts;
  if (options.packets == 0) return;
  axes.bursts = 1;
  axes.bursts = static_cast<std::uint32_t>((options.packets - 1) / axes.wqes_a_queue() + 1);
}

Row measure(const Contender& contender, const Options& options) {
  Row row{contender.axes, {}, {}};
  // Clocks and caches warm up; in a long run they do in its first milliseconds.
  if (options.packets == 0) contender.run(contender.axes);
  for (int i = 0; i < options.repeats && row.last.faults.empty(); ++i) {
    row.last = contender.run(contender.axes);
    row.rates.push_back(static_cast<double>(row.axes.wqes_a_queue() * row.axes.queues) /
                        row.last.seconds);
  }
  return row;
}

std::string name_of(const Case& axes) {
  char name[128];
  std::snprintf(name, sizeof(name), "%s, %u queues x %u blocks x %u threads, bursts of %u",
                axes.what.c_str(), axes.queues, axes.blocks_a_queue, axes.threads, axes.burst);
  return name;
}

void print(const Row& row) {
  const auto [low, high] = std::minmax_element(row.rates.begin(), row.rates.end());
  std::printf("%-88s %7.1f M WQE/s (%.1f to %.1f), %5.0f a look, NIC idle %3.0f %%\n",
              name_of(row.axes).c_str(), median(row.rates) / 1e6, *low / 1e6, *high / 1e6,
              row.last.wqes_a_look, 100 * row.last.nic_idle);
  for (const std::string& fault : row.last.faults) std::printf("  FAULT %s\n", fault.c_str());
  std::fflush(stdout);
}

void write_json(const char* path, const std::vector<Row>& rows) {
  std::FILE* file = std::fopen(path, "w");
  if (file == nullptr) throw std::runtime_error(std::string("cannot write ") + path);
  cudaDeviceProp gpu{};
  check(cudaGetDeviceProperties(&gpu, 0), "device");
  std::string driver = "unknown";
  std::ifstream("/sys/module/nvidia/version") >> driver;
  char date[16];
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof(date), "%Y-%m-%d", std::gmtime(&now));
  std::fprintf(file,
               "{\n  \"what\": \"WQEs posted on send queues of %u entries in GPU memory, drained "
               "and verified by a NIC model on other SMs\",\n  \"gpu\": \"%s\",\n"
               "  \"driver\": \"%s\",\n  \"date\": \"%s\",\n  \"rows\": [",
               kDepth, gpu.name, driver.c_str(), date);
  const char* comma = "";
  for (const Row& row : rows) {
    const auto [low, high] = std::minmax_element(row.rates.begin(), row.rates.end());
    std::fprintf(file,
                 "%s\n    {\"what\": \"%s\", \"queues\": %u, \"blocks_a_queue\": %u, "
                 "\"threads\": %u, \"burst\": %u, \"mwqes\": %.1f, \"lowest\": %.1f, "
                 "\"highest\": %.1f, \"nic_idle\": %.3f, \"faults\": %zu}",
                 comma, row.axes.what.c_str(), row.axes.queues, row.axes.blocks_a_queue,
                 row.axes.threads, row.axes.burst, median(row.rates) / 1e6, *low / 1e6, *high / 1e6,
                 row.last.nic_idle, row.last.faults.size());
    comma = ",";
  }
  std::fprintf(file, "\n  ]\n}\n");
  std::fclose(file);
}

/// false: the command line is wrong.
bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (++i == argc) return false;
    if (name == "--output") {
      options.output = argv[i];
    } else if (name == "--only") {
      options.only = argv[i];
    } else if (name == "--repeats") {
      options.repeats = std::max(std::atoi(argv[i]), 1);
    } else if (name == "--bursts") {
      options.bursts = static_cast<std::uint32_t>(std::max(std::atoi(argv[i]), 1));
    } else if (name == "--packets") {
      options.packets = static_cast<std::uint64_t>(std::max(std::atoll(argv[i]), 1LL));
    } else {
      return false;
    }
  }
  return true;
}

int run(const Options& options) {
  Rig rig;
  for (const std::string& fault : faults_not_noticed(rig)) {
    throw std::runtime_error("the NIC model does not notice: " + fault);
  }
  std::vector<Contender> contenders = ringside_cases(rig);
  for (Contender& peer : peer_cases(rig)) contenders.push_back(std::move(peer));
  std::vector<Row> rows;
  bool failed = false;
  for (Contender& contender : contenders) {
    if (name_of(contender.axes).find(options.only) == std::string::npos) continue;
    apply(options, contender.axes);
    rows.push_back(measure(contender, options));
    print(rows.back());
    failed = failed || !rows.back().last.faults.empty();
  }
  if (rows.empty()) throw std::runtime_error("no row's name holds '" + options.only + "'");
  if (options.output != nullptr) write_json(options.output, rows);
  return failed ? 1 : 0;
}

}  // namespace
}  // namespace ringside::bench

int main(int argc, char** argv) {
  ringside::bench::Options options;
  if (!ringside::bench::parse(argc, argv, options)) {
    std::fprintf(stderr,
                 "usage: %s [--repeats N] [--bursts N] [--packets N] [--only TEXT] "
                 "[--output FILE]\n",
                 argv[0]);
    return 2;
  }
  // A kernel that is loaded when it is launched would wait for the model, which waits for it.
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  try {
    return ringside::bench::run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gpu_send_bench: %s\n", error.what());
    return 1;
  }
}
