// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metair/ops/op_def.h"

namespace metadist {

// The window that a convolution or a pooling slides over the spatial dims of its input; all lists
// have one entry per spatial dim.
struct Window {
  Shape input = {};
  Shape kernel = {};
  std::vector<int64_t> strides = {};
  std::vector<int64_t> dilations = {};
  std::vector<int64_t> pads_begin = {};
  std::vector<int64_t> pads_end = {};
  Shape output = {};  // positions of the window
};

// Reads auto_pad, ceil_mode, dilations, pads and strides. spatial: sizes of the input from its
// third dim on; kernel: sizes of the window. Errors: kBadInput for lists of wrong length, values
// out of range and a window larger than the padded input.
// Source: ONNX operator specification, Conv-22 and MaxPool-22.
Result<Window> WindowOf(const Attributes& attributes, const Shape& spatial, const Shape& kernel);

// The window of the convolution whose transpose this is: its `output` is `spatial`, and its `input`
// is the output of the transposed convolution. Also reads output_padding and output_shape.
// Source: ONNX operator specification, ConvTranspose-22.
Result<Window> TransposedWindowOf(const Attributes& attributes,
                                  const Shape& spatial,
                                  const Shape& kernel);

// The window that extracts the blocks of an image (im2col). Reads dilations, pads and strides.
// Source: ONNX operator specification, Col2Im-18.
Result<Window> BlockWindowOf(const Attributes& attributes, const Shape& image, const Shape& block);

// The window with `positions`, which may reach beyond the padded input. Reads dilations, pads and
// strides.
Result<Window> WindowAt(const Attributes& attributes,
                        const Shape& spatial,
                        const Shape& kernel,
                        const Shape& positions);

// Writes the window as attributes that do not depend on sizes: kernel_shape, strides, dilations and
// pads instead of auto_pad.
void SpellWindow(const Window& window, Attributes& attributes);

// The window without the last spatial dim.
Window RowsOf(Window window);

// Indices of a tap that is outside the input.
inline constexpr int64_t kPadding = -1;  // in the padding
inline constexpr int64_t kBeyond = -2;   // beyond the padding: only if ceil_mode rounds up

// For every position of the window (row-major), for every tap of it (row-major): the index into the
// spatial dims of the input, row-major, or kPadding or kBeyond.
std::vector<int64_t> TapsOf(const Window& window);

}  // namespace metadist
