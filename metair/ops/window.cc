// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/window.h"

#include <algorithm>

#include "metair/ops/call_check.h"

namespace metadist {
namespace {

// Larger sizes are rejected, so that products of two fit 64 bits.
constexpr int64_t kLargestWindow = int64_t{1} << 31;

Result<std::vector<int64_t>> ListOf(const Attributes& attributes,
                                    const std::string& name,
                                    size_t length,
                                    int64_t least) {
  std::vector<int64_t> list = attributes.Ints(name);
  if (list.empty()) list.assign(length, least);
  if (list.size() != length)
    return BadCall("{} must have {} entries, got {}", name, length, list.size());
  for (int64_t value : list)
    if (value < least || value > kLargestWindow)
      return BadCall("{} must be in [{}, {}], got {}", name, least, kLargestWindow, value);
  return list;
}

// Input elements from the first tap to the last, both included.
int64_t Extent(const Window& window, size_t d) {
  return (window.kernel[d] - 1) * window.dilations[d] + 1;
}

// Halves on both sides; an odd element is added at the end (SAME_UPPER) or at the start.
void SplitPadding(int64_t total, const std::string& mode, size_t d, Window& window) {
  window.pads_begin[d] = mode == "SAME_UPPER" ? total / 2 : total - total / 2;
  window.pads_end[d] = total - window.pads_begin[d];
}

// Pads so that there are ceil(input / stride) positions; no padding if windows leave gaps.
void PadToSame(const std::string& mode, size_t d, Window& window) {
  const int64_t stride = window.strides[d];
  const int64_t positions = (window.input[d] + stride - 1) / stride;
  const int64_t total =
      std::max<int64_t>((positions - 1) * stride + Extent(window, d) - window.input[d], 0);
  SplitPadding(total, mode, d, window);
}

Result<int64_t> Positions(const Window& window, size_t d, bool ceil_mode) {
  const int64_t padded = window.input[d] + window.pads_begin[d] + window.pads_end[d];
  const int64_t room = padded - Extent(window, d);
  if (room < 0)
    return BadCall("a window of {} does not fit the padded size {}", Extent(window, d), padded);
  if (!ceil_mode) return room / window.strides[d] + 1;
  const int64_t positions = (room + window.strides[d] - 1) / window.strides[d] + 1;
  // A window that would start in the padding at the end is dropped.
  const bool drop = (positions - 1) * window.strides[d] >= window.input[d] + window.pads_begin[d];
  return drop ? positions - 1 : positions;
}

Result<std::string> AutoPad(const Attributes& attributes) {
  const std::string mode = attributes.String("auto_pad", "NOTSET");
  if (mode != "SAME_UPPER" && mode != "SAME_LOWER" && mode != "NOTSET" && mode != "VALID")
    return BadCall("auto_pad must be NOTSET, SAME_UPPER, SAME_LOWER or VALID, got {}", mode);
  return mode;
}

bool IsSame(const std::string& mode) { return mode == "SAME_UPPER" || mode == "SAME_LOWER"; }

// Reads everything but the output.
Result<Window> ReadWindow(const Attributes& attributes, const Shape& spatial, const Shape& kernel) {
  const size_t dims = spatial.size();
  Window window{.input = spatial, .kernel = kernel};
  if (kernel.size() != dims)
    return BadCall("kernel_shape must have {} entries, got {}", dims, kernel.size());
  for (size_t d = 0; d < dims; ++d)
    if (kernel[d] < 1 || kernel[d] > kLargestWindow || spatial[d] < 0 ||
        spatial[d] > kLargestWindow)
      return BadCall(
          "a window of {} over {} is out of range", ShapeText(kernel), ShapeText(spatial));
  window.strides = TRY(ListOf(attributes, "strides", dims, 1));
  window.dilations = TRY(ListOf(attributes, "dilations", dims, 1));
  const std::vector<int64_t> pads = TRY(ListOf(attributes, "pads", 2 * dims, 0));
  window.pads_begin.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(dims));
  window.pads_end.assign(pads.begin() + static_cast<std::ptrdiff_t>(dims), pads.end());
  return window;
}

}  // namespace

Result<Window> WindowOf(const Attributes& attributes, const Shape& spatial, const Shape& kernel) {
  Window window = TRY(ReadWindow(attributes, spatial, kernel));
  const std::string mode = TRY(AutoPad(attributes));
  for (size_t d = 0; d < spatial.size(); ++d) {
    if (mode == "VALID") window.pads_begin[d] = window.pads_end[d] = 0;
    if (IsSame(mode)) PadToSame(mode, d, window);
    window.output.push_back(TRY(Positions(window, d, attributes.Int("ceil_mode", 0) != 0)));
  }
  return window;
}

Result<Window> TransposedWindowOf(const Attributes& attributes,
                                  const Shape& spatial,
                                  const Shape& kernel) {
  const size_t dims = spatial.size();
  Window window = TRY(ReadWindow(attributes, spatial, kernel));
  const std::string mode = TRY(AutoPad(attributes));
  const std::vector<int64_t> extra = TRY(ListOf(attributes, "output_padding", dims, 0));
  const bool stated = attributes.has("output_shape");
  const std::vector<int64_t> sizes = TRY(ListOf(attributes, "output_shape", dims, 0));
  window.output = spatial;
  for (size_t d = 0; d < dims; ++d) {
    const int64_t full = window.strides[d] * (spatial[d] - 1) + extra[d] + Extent(window, d);
    int64_t& size = window.input[d];
    if (mode == "VALID") window.pads_begin[d] = window.pads_end[d] = 0;
    size = full - window.pads_begin[d] - window.pads_end[d];
    if (IsSame(mode)) size = spatial[d] * window.strides[d];
    if (stated) size = sizes[d];
    if (stated || IsSame(mode)) SplitPadding(std::max<int64_t>(full - size, 0), mode, d, window);
    if (size < 0 || size > kLargestWindow)
      return BadCall("an output size of {} is out of range", size);
  }
  return window;
}

Result<Window> BlockWindowOf(const Attributes& attributes, const Shape& image, const Shape& block) {
  Window window = TRY(ReadWindow(attributes, image, block));
  for (size_t d = 0; d < image.size(); ++d)
    window.output.push_back(TRY(Positions(window, d, /*ceil_mode=*/false)));
  return window;
}

Result<Window> WindowAt(const Attributes& attributes,
                        const Shape& spatial,
                        const Shape& kernel,
                        const Shape& positions) {
  Window window = TRY(ReadWindow(attributes, spatial, kernel));
  if (positions.size() != spatial.size())
    return BadCall("expected positions in {} dims, got {}", spatial.size(), positions.size());
  window.output = positions;
  return window;
}

void SpellWindow(const Window& window, Attributes& attributes) {
  std::vector<int64_t> pads = window.pads_begin;
  pads.insert(pads.end(), window.pads_end.begin(), window.pads_end.end());
  attributes.erase("auto_pad");
  attributes.set("kernel_shape", window.kernel);
  attributes.set("strides", window.strides);
  attributes.set("dilations", window.dilations);
  attributes.set("pads", std::move(pads));
}

namespace {

// TapsOf for dim d alone, without strides of other dims.
std::vector<int64_t> TapsOfDim(const Window& window, size_t d) {
  std::vector<int64_t> table;
  for (int64_t place = 0; place < window.output[d]; ++place)
    for (int64_t part = 0; part < window.kernel[d]; ++part) {
      const int64_t at =
          place * window.strides[d] + part * window.dilations[d] - window.pads_begin[d];
      if (at >= window.input[d] + window.pads_end[d])
        table.push_back(kBeyond);
      else
        table.push_back(at < 0 || at >= window.input[d] ? kPadding : at);
    }
  return table;
}

}  // namespace

// Dim by dim from the last: the table of a dim and all later ones is built from the table of the
// later ones.
Window RowsOf(Window window) {
  for (auto* list : {&window.input,
                     &window.kernel,
                     &window.strides,
                     &window.dilations,
                     &window.pads_begin,
                     &window.pads_end,
                     &window.output})
    list->pop_back();
  return window;
}

std::vector<int64_t> TapsOf(const Window& window) {
  std::vector<int64_t> table = {0};
  int64_t positions = 1, taps = 1, stride = 1;  // of the dims in the table
  for (size_t d = window.input.size(); d-- > 0;) {
    const std::vector<int64_t> own = TapsOfDim(window, d);
    std::vector<int64_t> wider(own.size() * table.size());
    int64_t* to = wider.data();
    for (int64_t place = 0; place < window.output[d]; ++place)
      for (int64_t position = 0; position < positions; ++position)
        for (int64_t part = 0; part < window.kernel[d]; ++part) {
          const int64_t first = own[static_cast<size_t>(place * window.kernel[d] + part)];
          const int64_t* const rest = table.data() + position * taps;
          for (int64_t tap = 0; tap < taps; ++tap, ++to)
            *to = first >= 0 && rest[tap] >= 0 ? first * stride + rest[tap]
                                               : std::min(std::min(first, rest[tap]), kPadding);
        }
    table = std::move(wider);
    positions *= window.output[d];
    taps *= window.kernel[d];
    stride *= window.input[d];
  }
  return table;
}

}  // namespace metadist
