// SPDX-License-Identifier: Apache-2.0
//
// Estimates the time of a collective where it was not measured.
//
// NCCL chooses among algorithms (ring, tree, in-switch reduction) and protocols (LL, LL128, Simple)
// by a model of its own: latency by the number of hops, plus bytes over the bandwidth that the
// protocol leaves of the channels. Evaluating that model gives the right shape of the curve,
// protocol switches included, from a dozen constants per generation. Its scale is off by 5 to 40 %,
// so callers fit the two parts of the result to rows of a similar group if there are any. The
// algorithm and protocol are chosen after the fit: otherwise the sum could fall where the choice
// changes.
//
//  time = latency + bytes / rate, the least over algorithms and protocols
//  ring latency   base + (steps - steps between nodes) inside + (steps between nodes) wire
//  tree latency   base + 2 ((n/N - 1) inside + log2(N) wire)            all-reduce only
//  ring rate      bus n / steps; steps = 2 (n-1) for an all-reduce, n-1 otherwise
//  tree rate      0.92 bus / 2, corrected by a factor per size
//
// There are two differences from NCCL's tuner. The number of channels is not searched: channels
// times rate per channel is given as `inside_bus` and `wire_bus`. And a tree over two nodes uses
// its true rate (`pair_rate`): each half of the data crosses the wire once, which NCCL's constants
// miss by up to 40 %. PAT is omitted: it needs one rank per node and wins only at medium sizes.
//
// Source: NVIDIA/nccl 2.30.7, src/graph/tuning.cc: constants and formulas restated, no code taken.
#include "profiles/nccl_model.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "metair/ir/check.h"

namespace metadist {
namespace {

enum Protocol { kLl, kLl128, kSimple };
using PerProtocol = std::array<double, 3>;
using PerNodes = std::array<double, 3>;  // 1, 2, more nodes

// Microseconds.
constexpr PerProtocol kTreeBase = {6.8, 14.0, 8.4};
constexpr PerProtocol kRingBase = {6.6, 14.0, 8.4};
constexpr PerProtocol kTreeLink = {0.6, 1.25, 4.0};
constexpr PerProtocol kRingLink = {0.6, 1.9, 3.4};
constexpr PerProtocol kTreePci = {1.0, 1.9, 4.0};
constexpr PerProtocol kRingPci = {1.0, 2.5, 5.7};
constexpr PerProtocol kTreeNet = {5.0, 8.5, 14.0};
constexpr PerProtocol kRingNet = {2.7, 4.0, 14.0};
// Overhead of a ring step over the network, by the host's processor.
constexpr PerProtocol kNetOverheadIntel = {1.0, 1.0, 3.0};
constexpr PerProtocol kNetOverheadAmd = {2.0, 2.0, 6.0};
constexpr double kNvlsLatency = 25;
constexpr double kNvlsTreeNet = 20.9;
constexpr double kLongRing = 1.4;      // latency of Simple rings over the network, see below
constexpr double kLongRingBytes = 64;  // per channel and rank

// GB/s, by generation. Over several nodes it depends on the host's processor: A100 machines have
// AMD's, the others Intel's.
constexpr std::array<PerNodes, 4> kLlMax = {
    {{39, 39, 20.4}, {87.7, 22.5, 19}, {141, 39, 20.4}, {282, 39, 20.4}}};
constexpr std::array<double, 4> kRingLl128Channel = {20, 20, 36.7, 40};
constexpr std::array<PerNodes, 4> kTreeLl128Channel = {
    {{20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 29}, {55.6, 31.67, 20}}};
constexpr std::array<PerNodes, 4> kTreeChannel = {
    {{26.5, 18.5, 10}, {24, 23.6, 17.8}, {38.7, 41.4, 36}, {70, 42.8, 24}}};
constexpr std::array<int, 4> kChannelsInside = {12, 24, 24, 16};
constexpr int kChannelsBetween = 16;
// In-switch reduction: channels x rate, before its efficiency; 0: not available in this generation.
constexpr std::array<double, 4> kNvlsChannels = {0, 0, 16, 24};
constexpr std::array<double, 4> kNvlsChannelRate = {0, 0, 20.6, 30};
constexpr std::array<double, 4> kNvlsEfficiency = {0, 0, 0.85, 0.74};
constexpr int kNvlsLeastRanks = 5;  // of one node

// Share of the tree's bandwidth by protocol and log2(bytes / 64).
constexpr std::array<std::array<double, 24>, 3> kTreeCorrection = {
    {{1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1, 1},
     {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1, 1},
     {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5,
      .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9, .9}}};

size_t NodeColumn(int nodes) { return nodes <= 1 ? 0 : nodes == 2 ? 1 : 2; }

// One communicator, with the quantities that all formulas share.
class Model {
 public:
  Model(const NcclFabric& fabric, Collective op, int64_t bytes, const NcclFit& fit)
      : fabric_(fabric),
        fit_(fit),
        bytes_(static_cast<double>(bytes)),
        all_reduce_(op == Collective::kAllReduce),
        several_(fabric.nodes > 1),
        generation_(static_cast<size_t>(fabric.generation)),
        column_(NodeColumn(fabric.nodes)),
        channels_(several_ ? kChannelsBetween : kChannelsInside[generation_]),
        bus_(several_ ? std::min(fabric.inside_bus, fabric.wire_bus) : fabric.inside_bus) {}

  NcclTime Best() {
    for (const Protocol protocol : {kLl, kLl128, kSimple}) {
      if (protocol == kLl128 && !fabric_.link) continue;
      Offer(RingLatency(protocol), RingRate(protocol));
      if (all_reduce_ && fabric_.ranks > 2) Offer(TreeLatency(protocol), TreeRate(protocol));
    }
    if (all_reduce_) OfferSwitch();
    if (all_reduce_ && fabric_.pair_rate > 0) Offer(TreeLatency(kSimple), fabric_.pair_rate);
    return best_;
  }

 private:
  // rate: payload GB/s.
  void Offer(double latency_us, double rate) {
    const NcclTime time{fit_.latency * latency_us, fit_.transfer * bytes_ / (1000 * rate)};
    if (best_.total_us() == 0 || time.total_us() < best_.total_us()) best_ = time;
  }

  double steps() const { return (all_reduce_ ? 2.0 : 1.0) * (fabric_.ranks - 1); }

  const PerProtocol& net_overhead() const {
    return fabric_.generation == NcclGeneration::kAmpere ? kNetOverheadAmd : kNetOverheadIntel;
  }

  double RingLatency(Protocol protocol) const {
    const double between = several_ ? (all_reduce_ ? 2.0 : 1.0) * (fabric_.nodes - 1) : 0;
    double inside = (fabric_.link ? kRingLink : kRingPci)[protocol];
    if (several_) inside = std::max(inside, net_overhead()[protocol]);
    double latency =
        kRingBase[protocol] + (steps() - between) * inside + between * kRingNet[protocol];
    const bool is_long = bytes_ / (channels_ * fabric_.ranks) >= kLongRingBytes;
    if (protocol == kSimple && several_ && all_reduce_ && is_long) latency *= kLongRing;
    return latency;
  }

  double RingRate(Protocol protocol) const {
    double bus = bus_;
    if (protocol == kLl) bus = std::min(kLlMax[generation_][column_], 0.5 * bus);
    if (protocol == kLl128) bus = std::min(0.92 * bus, channels_ * kRingLl128Channel[generation_]);
    return bus * fabric_.ranks / steps();
  }

  double TreeLatency(Protocol protocol) const {
    const double hops = static_cast<double>(fabric_.ranks) / fabric_.nodes - 1;
    const double inside = (fabric_.link ? kTreeLink : kTreePci)[protocol];
    return kTreeBase[protocol] +
           2 * (hops * inside + std::log2(fabric_.nodes) * kTreeNet[protocol]);
  }

  double TreeRate(Protocol protocol) const {
    double bus = std::min(0.92 * bus_, channels_ * kTreeChannel[generation_][column_]);
    if (protocol == kLl) bus = std::min(bus / 3.8, kLlMax[generation_][column_]);
    if (protocol == kLl128) {
      bus = std::min(bus * (several_ ? 0.9375 : 7.0 / 9),
                     channels_ * kTreeLl128Channel[generation_][column_]);
    }
    const auto units = static_cast<uint64_t>(bytes_) >> 6;
    const size_t size = units == 0 ? 0 : static_cast<size_t>(std::bit_width(units)) - 1;
    const auto& correction = kTreeCorrection[protocol];
    return 0.5 * bus * (size < correction.size() ? correction[size] : 1);
  }

  // Reduction in the switch: on one node, or below a tree over more than two.
  void OfferSwitch() {
    const double channels = kNvlsChannels[generation_];
    if (channels == 0 || fabric_.ranks / fabric_.nodes < kNvlsLeastRanks) return;
    if (fabric_.nodes == 2) return;
    const double rate = kNvlsChannelRate[generation_];
    double bus = channels * rate *
                 std::min(1.0, 2 * kNvlsEfficiency[generation_] * (channels - 1) / channels);
    double latency = kNvlsLatency;
    if (several_) {
      bus = std::min(bus, bus_);
      latency += 2 * std::log2(fabric_.nodes) * kNvlsTreeNet;
    }
    Offer(latency, bus * fabric_.ranks / steps());
  }

  const NcclFabric& fabric_;
  const NcclFit fit_;
  const double bytes_;
  const bool all_reduce_;
  const bool several_;
  const size_t generation_;
  const size_t column_;
  const int channels_;
  const double bus_;
  NcclTime best_;
};

}  // namespace

NcclTime NcclSeconds(const NcclFabric& fabric, Collective op, int64_t bytes, const NcclFit& fit) {
  CHECK(fabric.ranks > 1 && fabric.inside_bus > 0, "a collective needs two ranks and a bus");
  CHECK(fabric.nodes == 1 || fabric.wire_bus > 0, "several nodes need a network");
  return Model(fabric, op, bytes, fit).Best();
}

NcclGeneration GenerationOf(double link_bytes_per_second) {
  if (link_bytes_per_second >= 800e9) return NcclGeneration::kBlackwell;
  if (link_bytes_per_second >= 400e9) return NcclGeneration::kHopper;
  if (link_bytes_per_second >= 250e9) return NcclGeneration::kAmpere;
  return NcclGeneration::kVolta;
}

}  // namespace metadist
