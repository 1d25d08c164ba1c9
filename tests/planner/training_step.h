// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace metadist {

// One step of gradient descent with momentum on a perceptron of two layers, backward pass written
// out. Weights and momenta are state; momenta of the second layer are inputs.
inline std::string TrainingStepText() {
  return R"(graph step opset 26 {
  input %x: f32[8,16]
  input %t: f32[8,4]
  parameter %w1: f32[16,32] = ...
  parameter %b1: f32[32] = ...
  parameter %w2: f32[32,4] = ...
  parameter %b2: f32[4] = ...
  parameter %mw1: f32[16,32] = ...
  parameter %mb1: f32[32] = ...
  input %mw2: f32[32,4]
  input %mb2: f32[4]
  constant %first: i64[1] = [0]
  constant %zero: f32[] = [0.0]
  constant %scale: f32[] = [0.0625]
  constant %rate: f32[] = [0.1]
  constant %decay: f32[] = [0.9]
  %z1: f32[8,32] = MatMul(%x, %w1) @z1
  %a1: f32[8,32] = Add(%z1, %b1) @a1
  %h: f32[8,32] = Relu(%a1) @h
  %z2: f32[8,4] = MatMul(%h, %w2) @z2
  %y: f32[8,4] = Add(%z2, %b2) @y
  %d: f32[8,4] = Sub(%y, %t) @d
  %sq: f32[8,4] = Mul(%d, %d) @sq
  %loss: f32[] = ReduceMean(%sq) {keepdims = 0} @loss
  %dy: f32[8,4] = Mul(%d, %scale) @dy
  %ht: f32[32,8] = Transpose(%h) {perm = [1, 0]} @ht
  %dw2: f32[32,4] = MatMul(%ht, %dy) @dw2
  %db2: f32[4] = ReduceSum(%dy, %first) {keepdims = 0} @db2
  %w2t: f32[4,32] = Transpose(%w2) {perm = [1, 0]} @w2t
  %dh: f32[8,32] = MatMul(%dy, %w2t) @dh
  %above: bool[8,32] = Greater(%a1, %zero) @above
  %da: f32[8,32] = Where(%above, %dh, %zero) @da
  %xt: f32[16,8] = Transpose(%x) {perm = [1, 0]} @xt
  %dw1: f32[16,32] = MatMul(%xt, %da) @dw1
  %db1: f32[32] = ReduceSum(%da, %first) {keepdims = 0} @db1
  %kw1: f32[16,32] = Mul(%mw1, %decay) @kw1
  %mw1.next: f32[16,32] = Add(%kw1, %dw1) @mw1.next
  %sw1: f32[16,32] = Mul(%mw1.next, %rate) @sw1
  %w1.next: f32[16,32] = Sub(%w1, %sw1) @w1.next
  %kb1: f32[32] = Mul(%mb1, %decay) @kb1
  %mb1.next: f32[32] = Add(%kb1, %db1) @mb1.next
  %sb1: f32[32] = Mul(%mb1.next, %rate) @sb1
  %b1.next: f32[32] = Sub(%b1, %sb1) @b1.next
  %kw2: f32[32,4] = Mul(%mw2, %decay) @kw2
  %mw2.next: f32[32,4] = Add(%kw2, %dw2) @mw2.next
  %sw2: f32[32,4] = Mul(%mw2.next, %rate) @sw2
  %w2.next: f32[32,4] = Sub(%w2, %sw2) @w2.next
  %kb2: f32[4] = Mul(%mb2, %decay) @kb2
  %mb2.next: f32[4] = Add(%kb2, %db2) @mb2.next
  %sb2: f32[4] = Mul(%mb2.next, %rate) @sb2
  %b2.next: f32[4] = Sub(%b2, %sb2) @b2.next
  output %loss
  output %w1.next
  output %b1.next
  output %w2.next
  output %b2.next
  output %mw1.next
  output %mb1.next
  output %mw2.next
  output %mb2.next
  state %w1 -> %w1.next
  state %b1 -> %b1.next
  state %w2 -> %w2.next
  state %b2 -> %b2.next
  state %mw1 -> %mw1.next
  state %mb1 -> %mb1.next
  state %mw2 -> %mw2.next
  state %mb2 -> %mb2.next
}
)";
}

}  // namespace metadist
