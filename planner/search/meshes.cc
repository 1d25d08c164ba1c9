// SPDX-License-Identifier: Apache-2.0
#include "planner/search/meshes.h"

#include <cstdint>
#include <string>

namespace metadist {
namespace {

constexpr size_t kMostAxes = 3;

// Ways to write `size` as a product of `count` factors of at least 2, ascending.
void Products(int64_t size,
              size_t count,
              int64_t least,
              std::vector<int64_t>& head,
              std::vector<std::vector<int64_t>>& out) {
  if (count == 1) {
    if (size < least) return;
    out.push_back(head);
    out.back().push_back(size);
    return;
  }
  for (int64_t factor = least; factor * factor <= size; ++factor) {
    if (size % factor != 0) continue;
    head.push_back(factor);
    Products(size / factor, count - 1, factor, head, out);
    head.pop_back();
  }
}

std::vector<std::vector<int64_t>> Products(int64_t size, size_t count) {
  if (size == 1)
    return count == 0 ? std::vector<std::vector<int64_t>>{{}} : std::vector<std::vector<int64_t>>{};
  std::vector<std::vector<int64_t>> out;
  std::vector<int64_t> head;
  if (count > 0) Products(size, count, 2, head, out);
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
