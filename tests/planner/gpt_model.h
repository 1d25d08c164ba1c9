// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "metair/ir/graph.h"
#include "metair/training/training.h"

namespace metadist {

// A decoder without a head: embeddings and layers of unfused attention and a perceptron.
struct GptSize {
  int layers = 1;
  int batch = 16;
  int sequence = 256;
  int width = 1024;
  int heads = 24;
  int head = 96;  // width of one
  int vocabulary = 4096;
  std::string element = "f32";
};

Graph GptModel(const GptSize& size);

// With the mean squared error of the last layer's result; before passes.
TrainingStep GptTrainingStep(const GptSize& size, TrainingOptions options = {});

}  // namespace metadist
