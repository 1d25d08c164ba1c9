// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "executor/device/device.h"

namespace metadist {

struct CpuDeviceOptions {
  bool fuse = true;  // run the nodes of a fused group as one, block by block
};

// A core as a device: enqueued work has been done when the call returns.
std::unique_ptr<Device> MakeCpuDevice(const CpuDeviceOptions& options = {});

}  // namespace metadist
