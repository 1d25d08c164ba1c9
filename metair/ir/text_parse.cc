// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "metair/ir/text.h"
#include "metair/ir/text_token.h"
#include "metair/ir/verify.h"

namespace metadist {
namespace {

constexpr int kMaxNesting = 32;

// One element or attribute value as written: an integer, a number with a point, or a word.
struct Literal {
  enum class Kind { kInt, kFloat, kBool, kString };
  Kind kind = Kind::kInt;
  int64_t integer = 0;     // kInt within int64
  uint64_t magnitude = 0;  // kInt: its absolute value
  double number = 0;
  std::string text;
};

// Recursive descent, one function per production. Value names are looked up in `values_`, which has
// one map per nested graph.
class Parser {
 public:
  explicit Parser(std::string_view text) : tokens_(text) {}

  Result<Graph> ParseAll() {
    Graph graph = TRY(ParseGraph(0));
    if (tokens_.peek().kind != Token::Kind::kEnd) return Expected("the end of the text");
    return graph;
  }

 private:
  using Names = std::map<std::string, ValueId>;

  Error Fail(int line, std::string message) const {
    return BadInput(fmt::format("line {}", line), std::move(message));
  }
  Error Expected(const std::string& what) const {
    const Token& token = tokens_.peek();
    const std::string got = token.kind == Token::Kind::kEnd   ? "the end of the text"
                            : token.kind == Token::Kind::kBad ? "a malformed word"
                                                              : "'" + token.text + "'";
    return Fail(token.line, fmt::format("expected {}, got {}", what, got));
  }
  // text: a symbol or a word; no word has the text of a symbol.
  bool At(const char* text) const {
    const Token& token = tokens_.peek();
    return (token.kind == Token::Kind::kSymbol || token.kind == Token::Kind::kWord) &&
           token.text == text;
  }
  bool TakeIf(const char* text) {
    if (!At(text)) return false;
    tokens_.Take();
    return true;
  }
  Result<void> Need(const char* text) {
    if (!TakeIf(text)) return Expected(fmt::format("'{}'", text));
    return {};
  }
  Result<std::string> Name() {
    const Token& token = tokens_.peek();
    const bool plain = (token.kind == Token::Kind::kWord || token.kind == Token::Kind::kNumber) &&
                       IsPlainName(token.text);
    if (!plain && token.kind != Token::Kind::kQuoted) return Expected("a name");
    return tokens_.Take().text;
  }

  Result<int64_t> Integer();
  Result<TensorType> Type();
  Result<Literal> ParseLiteral();
  Result<Tensor> Elements(TensorType type);
  Result<void> SetElement(Tensor& tensor, int64_t at, const Literal& literal, int line);
  Result<Attribute> ParseAttribute();
  Result<Attribute> List(const std::string& hint);
  Result<ValueId> Declare(Graph& graph, Names& names, ValueKind kind);
  Result<ValueId> Reference(const Names& names);
  Result<std::vector<ValueId>> References(const Names& names);
  Result<void> Operator(Node& node);
  Result<void> ParseNode(Graph& graph, Names& names, int depth);
  Result<void> Line(Graph& graph, Names& names, int depth);
  Result<Graph> ParseGraph(int depth);

  TokenReader tokens_;
};

Result<int64_t> Parser::Integer() {
  if (tokens_.peek().kind != Token::Kind::kNumber) return Expected("an integer");
  const std::string& text = tokens_.peek().text;
  int64_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size()) return Expected("an integer");
  tokens_.Take();
  return value;
}

Result<TensorType> Parser::Type() {
  if (tokens_.peek().kind != Token::Kind::kWord) return Expected("an element type");
  const auto element = ParseElementType(tokens_.peek().text);
  if (!element) return Expected("an element type");
  const int line = tokens_.Take().line;
  TensorType type{*element, {}};
  TRY(Need("["));
  while (!TakeIf("]")) {
    type.shape.push_back(TakeIf("?") ? kRunTimeSize : TRY(Integer()));
    if (type.shape.back() < 0 && type.shape.back() != kRunTimeSize)
      return Fail(line, fmt::format("sizes must not be negative, got {}", type.shape.back()));
    if (!At("]")) TRY(Need(","));
  }
  Shape known = type.shape;
  for (int64_t& size : known)
    if (size == kRunTimeSize) size = 1;
  auto count = CheckedElements(known, *element);
  if (!count.ok()) return std::move(count).error().in(fmt::format("line {}", line));
  return type;
}

Result<Literal> Parser::ParseLiteral() {
  const Token& token = tokens_.peek();
  Literal literal;
  literal.text = token.text;
  const std::string& text = literal.text;
  const bool is_word = token.kind == Token::Kind::kWord;
  if (token.kind == Token::Kind::kQuoted) {
    literal.kind = Literal::Kind::kString;
  } else if (is_word && (text == "true" || text == "false")) {
    literal.kind = Literal::Kind::kBool;
  } else if (is_word && (text == "inf" || text == "-inf" || text == "nan" || text == "-nan")) {
    literal.kind = Literal::Kind::kFloat;
    literal.number = text.back() == 'f' ? std::numeric_limits<double>::infinity()
                                        : std::numeric_limits<double>::quiet_NaN();
    if (text[0] == '-') literal.number = -literal.number;
  } else if (token.kind == Token::Kind::kNumber && text.find_first_of(".ed") != text.npos) {
    literal.kind = Literal::Kind::kFloat;
    // Numbers without `d` are the shortest text of an f32 and must be read as f32.
    if (text.back() == 'd') {
      std::from_chars(text.data(), text.data() + text.size() - 1, literal.number);
    } else {
      float narrow = 0;
      std::from_chars(text.data(), text.data() + text.size(), narrow);
      literal.number = static_cast<double>(narrow);
    }
  } else if (token.kind == Token::Kind::kNumber) {
    const bool negative = text[0] == '-';
    const char* digits = text.data() + (negative ? 1 : 0);
    if (std::from_chars(digits, text.data() + text.size(), literal.magnitude).ec != std::errc())
      return Expected("an integer of 64 bits");
    literal.integer = static_cast<int64_t>(negative ? 0 - literal.magnitude : literal.magnitude);
    literal.number = static_cast<double>(literal.integer);
  } else {
    return Expected("a value");
  }
  tokens_.Take();
  return literal;
}

Result<void> Parser::SetElement(Tensor& tensor, int64_t at, const Literal& literal, int line) {
  const ElementClass wanted = ClassOf(tensor.element());
  const bool fits = (wanted == ElementClass::kBool && literal.kind == Literal::Kind::kBool) ||
                    (wanted == ElementClass::kInt && literal.kind == Literal::Kind::kInt) ||
                    (wanted == ElementClass::kFloat && literal.kind == Literal::Kind::kFloat);
  if (!fits)
    return Fail(
        line,
        fmt::format(
            "'{}' is not an element of {}", literal.text, metadist::Name(tensor.element())));
  bool in_range = true;
  VisitElementType(tensor.element(), [&](auto zero) {
    using T = decltype(zero);
    T& element = tensor.mutable_data<T>()[at];
    if constexpr (std::is_same_v<T, bool>) {
      element = literal.text == "true";
    } else if constexpr (std::is_integral_v<T>) {
      element = static_cast<T>(literal.integer);
      in_range = fmt::format("{}", +element) == literal.text;
    } else if constexpr (std::is_same_v<T, double>) {
      element = literal.number;
      // f64 elements are printed without `d`: read all digits.
      if (std::isfinite(literal.number))
        std::from_chars(literal.text.data(), literal.text.data() + literal.text.size(), element);
    } else if constexpr (kIsSmallInt<T>) {
      element = T(literal.integer);
      in_range = fmt::format("{}", static_cast<int64_t>(element)) == literal.text;
    } else {
      element = T(static_cast<float>(literal.number));
    }
  });
  if (!in_range)
    return Fail(
        line,
        fmt::format("{} is out of range for {}", literal.text, metadist::Name(tensor.element())));
  return {};
}

Result<Tensor> Parser::Elements(TensorType type) {
  if (TakeIf("...")) return Tensor::Absent(std::move(type));
  const int line = tokens_.peek().line;
  TRY(Need("["));
  std::vector<Literal> literals;
  while (!TakeIf("]")) {
    literals.push_back(TRY(ParseLiteral()));
    if (!At("]")) TRY(Need(","));
  }
  if (!IsKnown(type.shape)) return Fail(line, "a size known only at run time has no elements");
  const int64_t count = NumElements(type.shape);
  if (count != static_cast<int64_t>(literals.size()))
    return Fail(line,
                fmt::format("{} has {} elements, got {}", TypeText(type), count, literals.size()));
  Tensor tensor = Tensor::Zeros(std::move(type));
  for (int64_t i = 0; i < count; ++i)
    TRY(SetElement(tensor, i, literals[static_cast<size_t>(i)], line));
  return tensor;
}

Result<Attribute> Parser::List(const std::string& hint) {
  const int line = tokens_.peek().line;
  TRY(Need("["));
  std::vector<int64_t> ints;
  std::vector<double> floats;
  std::vector<std::string> strings;
  while (!TakeIf("]")) {
    const Literal literal = TRY(ParseLiteral());
    if (literal.kind == Literal::Kind::kInt) ints.push_back(literal.integer);
    if (literal.kind == Literal::Kind::kFloat) floats.push_back(literal.number);
    if (literal.kind == Literal::Kind::kString) strings.push_back(literal.text);
    if (literal.kind == Literal::Kind::kBool) return Fail(line, "no attribute is a list of bools");
    if (!At("]")) TRY(Need(","));
  }
  if (!ints.empty() + !floats.empty() + !strings.empty() > 1)
    return Fail(line, "the values of a list must have one type");
  if (!floats.empty() || hint == "floats") return Attribute(std::move(floats));
  if (!strings.empty() || hint == "strings") return Attribute(std::move(strings));
  return Attribute(std::move(ints));
}

Result<Attribute> Parser::ParseAttribute() {
  if (TakeIf("tensor")) {
    TensorType type = TRY(Type());
    TRY(Need("="));
    return Attribute(TRY(Elements(std::move(type))));
  }
  if (At("floats") || At("strings")) {
    const std::string hint = tokens_.Take().text;
    return List(hint);
  }
  if (At("[")) return List("");
  const int line = tokens_.peek().line;
  Literal literal = TRY(ParseLiteral());
  if (literal.kind == Literal::Kind::kInt) return Attribute(literal.integer);
  if (literal.kind == Literal::Kind::kFloat) return Attribute(literal.number);
  if (literal.kind == Literal::Kind::kString) return Attribute(std::move(literal.text));
  return Fail(line, "no attribute is a bool");
}

Result<ValueId> Parser::Declare(Graph& graph, Names& names, ValueKind kind) {
  const int line = tokens_.peek().line;
  TRY(Need("%"));
  Value value;
  value.name = TRY(Name());
  value.kind = kind;
  TRY(Need(":"));
  value.type = TRY(Type());
  const auto [place, fresh] = names.emplace(value.name, static_cast<ValueId>(graph.values.size()));
  if (!fresh) return Fail(line, fmt::format("value '{}' is made twice", value.name));
  return graph.AddValue(std::move(value));
}

Result<ValueId> Parser::Reference(const Names& names) {
  const int line = tokens_.peek().line;
  if (TakeIf("_")) return kNone;
  TRY(Need("%"));
  const std::string name = TRY(Name());
  const auto found = names.find(name);
  if (found == names.end())
    return Fail(line, fmt::format("value '{}' is used before it is made", name));
  return found->second;
}

Result<std::vector<ValueId>> Parser::References(const Names& names) {
  std::vector<ValueId> ids;
  TRY(Need("("));
  while (!TakeIf(")")) {
    ids.push_back(TRY(Reference(names)));
    if (!At(")")) TRY(Need(","));
  }
  return ids;
}

Result<void> Parser::Operator(Node& node) {
  const bool quoted = tokens_.peek().kind == Token::Kind::kQuoted;
  std::string word = TRY(Name());
  if (quoted && TakeIf(".")) {
    node.domain = std::move(word);
    node.op = TRY(Name());
    return {};
  }
  const size_t dot = quoted ? std::string::npos : word.rfind('.');
  if (dot != std::string::npos) node.domain = word.substr(0, dot);
  node.op = dot == std::string::npos ? word : word.substr(dot + 1);
  return {};
}

Result<void> Parser::ParseNode(Graph& graph, Names& names, int depth) {
  Node node;
  // The results are declared only when the node is complete: a node cannot read its own results.
  Names results;
  do {
    if (TakeIf("_")) {
      node.outputs.push_back(kNone);
    } else {
      const int line = tokens_.peek().line;
      node.outputs.push_back(TRY(Declare(graph, results, ValueKind::kResult)));
      const std::string& made = graph.values.back().name;
      if (names.count(made) > 0) return Fail(line, fmt::format("value '{}' is made twice", made));
    }
  } while (TakeIf(","));
  TRY(Need("="));
  TRY(Operator(node));
  node.inputs = TRY(References(names));
  if (TakeIf("{")) {
    while (!TakeIf("}")) {
      std::string name = TRY(Name());
      TRY(Need("="));
      node.attributes.set(name, TRY(ParseAttribute()));
      if (!At("}")) TRY(Need(","));
    }
  }
  while (!At("@")) {
    Region region;
    if (tokens_.peek().kind != Token::Kind::kWord && tokens_.peek().kind != Token::Kind::kQuoted)
      return Expected("'@' and the name of the node");
    region.name = TRY(Name());
    region.captures = TRY(References(names));
    region.graph = std::make_shared<const Graph>(TRY(ParseGraph(depth + 1)));
    node.regions.push_back(std::move(region));
  }
  tokens_.Take();
  node.name = TRY(Name());
  graph.AddNode(std::move(node));
  names.merge(results);
  return {};
}

Result<void> Parser::Line(Graph& graph, Names& names, int depth) {
  if (TakeIf("input")) {
    graph.inputs.push_back(TRY(Declare(graph, names, ValueKind::kInput)));
    return {};
  }
  if (At("parameter") || At("constant")) {
    const bool parameter = tokens_.Take().text == "parameter";
    const ValueId id =
        TRY(Declare(graph, names, parameter ? ValueKind::kParameter : ValueKind::kConstant));
    TRY(Need("="));
    graph.value(id).data = TRY(Elements(graph.value(id).type));
    return {};
  }
  if (TakeIf("output")) {
    graph.outputs.push_back(TRY(Reference(names)));
    return {};
  }
  if (At("state") || At("sum")) {
    const bool sums = tokens_.Take().text == "sum";
    StatePair pair{TRY(Reference(names)), kNone, sums};
    TRY(Need("->"));
    pair.output = TRY(Reference(names));
    graph.state.push_back(pair);
    return {};
  }
  if (TakeIf("micro_batches")) {
    graph.micro_batches = TRY(Integer());
    return {};
  }
  if (!At("%") && !At("_"))
    return Expected(
        "'input', 'parameter', 'constant', 'output', 'state', 'sum', 'micro_batches' or a value");
  return ParseNode(graph, names, depth);
}

Result<Graph> Parser::ParseGraph(int depth) {
  if (depth > kMaxNesting)
    return Fail(tokens_.peek().line, fmt::format("graphs are nested deeper than {}", kMaxNesting));
  TRY(Need("graph"));
  Graph graph;
  graph.name = TRY(Name());
  TRY(Need("opset"));
  graph.opset = TRY(Integer());
  TRY(Need("{"));
  Names names;
  while (!TakeIf("}")) TRY(Line(graph, names, depth));
  return graph;
}

}  // namespace

Result<Graph> ParseGraph(std::string_view text) {
  Parser parser(text);
  Graph graph = TRY(parser.ParseAll());
  TRY(Verify(graph));
  return graph;
}

}  // namespace metadist
