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
// --bursts N posts N bursts a block in place of 20,000: for compute-sanitizer, say. --only TEXT
// leaves out rows whose name, up to the colon, does not hold it.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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

Row measure(const Contender& contender, int repeats) {
  Row row{contender.axes, {}, {}};
  contender.run(contender.axes);  // clocks and caches warm up
  for (int i = 0; i < repeats && row.last.faults.empty(); ++i) {
    row.last = contender.run(contender.axes);
    row.rates.push_back(static_cast<double>(row.axes.wqes_a_queue() * row.axes.queues) /
                        row.last.seconds);
  }
  return row;
}

std::string name_of(const Case& axes) {
  char name[128];
  std::snprintf(name, sizeof(name),
                "%-38s %2u queues x %u blocks x %4u threads, bursts of %4u:", axes.what.c_str(),
                axes.queues, axes.blocks_a_queue, axes.threads, axes.burst);
  return name;
}

void print(const Row& row) {
  const auto [low, high] = std::minmax_element(row.rates.begin(), row.rates.end());
  std::printf("%s %7.1f M WQE/s (%.1f to %.1f), %5.0f a look, NIC idle %3.0f %%\n",
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

int run(int argc, char** argv) {
  const char* output = nullptr;
  int repeats = 5;
  std::uint32_t bursts = 0;
  std::string only;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--output") == 0 && i + 1 < argc) {
      output = argv[++i];
    } else if (std::strcmp(argv[i], "--repeats") == 0 && i + 1 < argc) {
      repeats = std::max(std::atoi(argv[++i]), 1);
    } else if (std::strcmp(argv[i], "--bursts") == 0 && i + 1 < argc) {
      bursts = static_cast<std::uint32_t>(std::max(std::atoi(argv[++i]), 1));
    } else if (std::strcmp(argv[i], "--only") == 0 && i + 1 < argc) {
      only = argv[++i];
    } else {
      std::fprintf(stderr, "usage: %s [--repeats N] [--bursts N] [--only TEXT] [--output FILE]\n",
                   argv[0]);
      return 2;
    }
  }
  Rig rig;
  for (const std::string& fault : faults_not_noticed(rig)) {
    throw std::runtime_error("the NIC model does not notice: " + fault);
  }
  std::vector<Contender> contenders = ringside_cases(rig);
  for (Contender& peer : peer_cases(rig)) contenders.push_back(std::move(peer));
  std::vector<Row> rows;
  bool failed = false;
  for (Contender& contender : contenders) {
    if (name_of(contender.axes).find(only) == std::string::npos) continue;
    if (bursts != 0) contender.axes.bursts = bursts;
    rows.push_back(measure(contender, repeats));
    print(rows.back());
    failed = failed || !rows.back().last.faults.empty();
  }
  if (output != nullptr) write_json(output, rows);
  return failed ? 1 : 0;
}

}  // namespace
}  // namespace ringside::bench

int main(int argc, char** argv) {
  // A kernel that is loaded when it is launched would wait for the model, which waits for it.
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  try {
    return ringside::bench::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gpu_send_bench: %s\n", error.what());
    return 1;
  }
}
