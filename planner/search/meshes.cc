// SPDX-License-Identifier: Apache-2.0
#include "planner/search/meshes.h"

#include <cstdint>
#include <string>
#include <utility>

namespace metadist {
namespace {

constexpr size_t kMostAxes = 3;

// Ways to write `size` as a product of `count` ascending factors of at least `least`.
std::vector<std::vector<int64_t>> Products(int64_t size, size_t count, int64_t least = 2) {
  std::vector<std::vector<int64_t>> out;
  if (count == 0 && size == 1) out.emplace_back();
  if (count == 1 && size >= least) out.push_back({size});
  for (int64_t factor = least; count > 1 && factor * factor <= size; ++factor) {
    if (size % factor != 0) continue;
    for (std::vector<int64_t>& rest : Products(size / factor, count - 1, factor)) {
      rest.insert(rest.begin(), factor);
      out.push_back(std::move(rest));
    }
  }
  return out;
}

Mesh NamedMesh(const std::vector<int64_t>& sizes) {
  Mesh mesh;
  for (int64_t size : sizes)
    mesh.axes.push_back({std::string(1, static_cast<char>('a' + mesh.axes.size())), size});
  return mesh;
}

}  // namespace

std::vector<Mesh> MeshesFor(const Cluster& cluster) {
  std::vector<Mesh> out{NamedMesh({cluster.devices()})};
  for (size_t axes = 2; axes <= kMostAxes; ++axes) {
    for (size_t outer = 0; outer <= axes; ++outer) {
      for (const std::vector<int64_t>& between : Products(cluster.nodes, outer)) {
        for (const std::vector<int64_t>& inside :
             Products(cluster.devices_per_node, axes - outer)) {
          std::vector<int64_t> sizes = between;
          sizes.insert(sizes.end(), inside.begin(), inside.end());
          out.push_back(NamedMesh(sizes));
        }
      }
    }
  }
  return out;
}

}  // namespace metadist
