// SPDX-License-Identifier: Apache-2.0
// A scan in pieces.
//
// The scan of [carry, piece], without its first element, is the scan of the piece after everything
// that the carry stands for. The carry is the scan's last result on all earlier pieces; since a
// total stands for its piece, that is the scan's own result on the ranks' totals. The first rank
// keeps the scan of its piece alone. An exclusive scan gives the total of a piece only after one
// more element, whatever its value; its results on the totals are the carries directly. Each form
// also exists from the end. All four forms are tried; none depends on the operation of the scan.
// Moves n totals per line and runs the scan twice.
#include "planner/rules/compose/recipe_forms.h"

namespace metadist {
namespace {

class Scan {
 public:
  Scan(const RecipeCall& at, int64_t ranks, bool reversed)
      : pieces_(at.call, ranks),
        inputs_(pieces_.Inputs()),
        input_(static_cast<size_t>(at.inputs[0].tensor)),
        dim_(at.inputs[0].dim),
        size_(at.call.shape(input_)[static_cast<size_t>(dim_)]),
        reversed_(reversed) {
    pieces_.Cut(inputs_[input_], dim_);
  }

  Result<PieceGraph> Inclusive() {
    const int64_t ranks = pieces_.ranks();
    const ValueId alone = OnPieces(inputs_[input_]);
    const ValueId total = Edge(alone, size_);
    // Running totals by rank; a rank needs that of the rank before it.
    const ValueId folded = OnWhole(total);
    Composer& compose = pieces_.compose();
    const int64_t first = reversed_ ? 1 : 0;
    const ValueId most = SliceOf(compose, folded, dim_, first, first + ranks - 1);
    const ValueId any = SliceOf(compose, folded, dim_, 0, 1);
    const ValueId carry = compose.Add("Concat", InOrder(any, most), {{"axis", dim_}});
    const ValueId behind = Finish(carry);
    const ValueId yes = reversed_ ? behind : alone;
    const ValueId no = reversed_ ? alone : behind;
    return pieces_.Done({pieces_.Add("Where", {BeforeEdge(), yes, no}, dim_)});
  }

  Result<PieceGraph> Exclusive() {
    const ValueId x = inputs_[input_];
    const ValueId longer = OnPieces(pieces_.Joined(InOrder(x, Edge(x, size_)), dim_));
    const ValueId total = Edge(longer, size_ + pieces_.ranks());
    return pieces_.Done({Finish(OnWhole(total))});
  }

 private:
  // Two values in the order of the scan.
  std::vector<ValueId> InOrder(ValueId first, ValueId second) const {
    return reversed_ ? std::vector{second, first} : std::vector{first, second};
  }

  ValueId OnWhole(ValueId x) {
    std::vector<ValueId> inputs = inputs_;
    inputs[input_] = x;
    return pieces_.Again(inputs)[0];
  }

  ValueId OnPieces(ValueId x) {
    const ValueId made = pieces_.Cut(OnWhole(x), dim_);
    pieces_.OnPieces();
    return made;
  }

  // The element of each piece at which the scan ends. size: of all pieces.
  ValueId Edge(ValueId value, int64_t size) {
    return reversed_ ? pieces_.Span(value, dim_, 0, pieces_.ranks())
                     : pieces_.Span(value, dim_, size - pieces_.ranks(), size);
  }

  // By rank, the scan of its piece after its element of `carry`.
  ValueId Finish(ValueId carry) {
    const int64_t ranks = pieces_.ranks();
    pieces_.Cut(carry, dim_);
    const ValueId longer = OnPieces(pieces_.Joined(InOrder(carry, inputs_[input_]), dim_));
    return reversed_ ? pieces_.Span(longer, dim_, 0, size_)
                     : pieces_.Span(longer, dim_, ranks, size_ + ranks);
  }

  // A mask of the indices in the first piece; reversed: of those not in the last piece.
  ValueId BeforeEdge() {
    const int64_t ranks = pieces_.ranks();
    const int64_t edge =
        reversed_ ? Piece(size_, ranks, ranks - 1).begin : Piece(size_, ranks, 0).end;
    return pieces_.Mask(
        pieces_.shape(inputs_[input_]).size(), static_cast<size_t>(dim_), size_, {0, edge});
  }

  PieceComposer pieces_;
  const std::vector<ValueId> inputs_;
  const size_t input_;
  const int64_t dim_;
  const int64_t size_;
  const bool reversed_;
};

constexpr char kForward[] = "SCAN";
constexpr char kReversedScan[] = "SCAN reversed";
constexpr char kExclusive[] = "SCAN exclusive";
constexpr char kExclusiveReversed[] = "SCAN exclusive reversed";

}  // namespace

std::vector<std::string> ScanRecipes(const RecipeCall& at) {
  if (at.inputs.size() != 1 || at.outputs.size() != 1) return {};
  const auto types = InferTypes(at.call);
  if (!types.ok() || types.value().size() != 1 || at.inputs[0].dim != at.outputs[0].dim ||
      types.value()[0] != at.call.type(static_cast<size_t>(at.inputs[0].tensor)))
    return {};
  return {kForward, kReversedScan, kExclusive, kExclusiveReversed};
}

bool IsScan(const std::string& name) { return name.rfind(kForward, 0) == 0; }

Result<PieceGraph> BuildScan(const std::string& name, const RecipeCall& at, int64_t ranks) {
  Scan scan(at, ranks, /*reversed=*/name == kReversedScan || name == kExclusiveReversed);
  return name == kForward || name == kReversedScan ? scan.Inclusive() : scan.Exclusive();
}

}  // namespace metadist
