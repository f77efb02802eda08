#include "tests/expression/expression_text.h"

#include <gmock/gmock.h>

#include <cctype>
#include <cmath>
#include <map>
#include <optional>

#include "braid/column_builder.h"
#include "state/rows/check.h"

namespace braid {

namespace {

struct Token {
  enum class Kind { kWord, kNumber, kText, kSymbol, kEnd };
  Kind kind = Kind::kEnd;
  std::string text;
};

std::vector<Token> Tokenize(std::string_view text) {
  std::vector<Token> tokens;
  size_t at = 0;
  const auto is_word = [](char c) { return std::isalnum(static_cast<uint8_t>(c)) || c == '_'; };
  while (at < text.size()) {
    const char first = text[at];
    size_t end = at + 1;
    if (std::isspace(static_cast<uint8_t>(first))) {
      at = end;
    } else if (std::isdigit(static_cast<uint8_t>(first))) {
      while (end < text.size() &&
             (is_word(text[end]) || text[end] == '.' ||
              (text[end] == '-' && (text[end - 1] == 'e' || text[end - 1] == 'E')))) {
        ++end;
      }
      tokens.push_back({Token::Kind::kNumber, std::string(text.substr(at, end - at))});
    } else if (is_word(first)) {
      while (end < text.size() && is_word(text[end])) ++end;
      tokens.push_back({Token::Kind::kWord, std::string(text.substr(at, end - at))});
    } else if (first == '\'') {
      std::string value;
      while (end < text.size() && (text[end] != '\'' || text.substr(end).starts_with("''"))) {
        value += text[end];
        end += text[end] == '\'' ? 2 : 1;
      }
      ++end;
      tokens.push_back({Token::Kind::kText, value});
    } else {
      for (const std::string_view two : {"<=", ">=", "<>"}) {
        if (text.substr(at).starts_with(two)) end = at + 2;
      }
      tokens.push_back({Token::Kind::kSymbol, std::string(text.substr(at, end - at))});
    }
    at = std::max(at, end);
  }
  tokens.push_back({});
  return tokens;
}

class Reader {
 public:
  Reader(std::string_view text, const Schema* schema) : tokens_(Tokenize(text)), schema_(schema) {}

  Result<ExpressionPtr> ReadAll() {
    ExpressionPtr expression = ReadOr();
    if (!error_ && peek().kind != Token::Kind::kEnd) Refuse("unread: " + peek().text);
    if (error_) return tl::unexpected(*error_);
    return expression;
  }

  DataType ReadType() {
    static const std::map<std::string, DataType> known = {
        {"BOOLEAN", DataType::Boolean()},
        {"TINYINT", DataType::TinyInt()},
        {"SMALLINT", DataType::SmallInt()},
        {"INT", DataType::Int()},
        {"BIGINT", DataType::BigInt()},
        {"FLOAT", DataType::Float()},
        {"DOUBLE", DataType::Double()},
        {"DECIMAL", DataType::Decimal(10, 0)},
        {"STRING", DataType::String()},
        {"VARCHAR", DataType::String()},
        {"BYTES", DataType::Bytes()},
        {"VARBINARY", DataType::Bytes()},
        {"DATE", DataType::Date()},
        {"TIMESTAMP", DataType::Timestamp(6)},
        {"NULL", DataType::Null()},
        {"TIMESTAMP_LTZ", DataType::TimestampLtz(6)},
        {"INTERVAL", DataType::IntervalDay()},
    };
    const auto found = known.find(Next().text);
    BRAID_CHECK(found != known.end(), "a type");
    DataType type = found->second;
    if (!Skip("(")) return type;
    const auto first = static_cast<uint8_t>(std::stoi(Next().text));
    if (type.is_variable_width()) {
      type.length = first;
    } else {
      type.precision = first;
    }
    if (Skip(",")) type.scale = static_cast<uint8_t>(std::stoi(Next().text));
    Skip(")");
    return type;
  }

 private:
  const Token& peek() const { return tokens_[next_]; }
  Token Next() {
    Token token = tokens_[next_];
    if (token.kind != Token::Kind::kEnd) ++next_;
    return token;
  }
  bool Skip(std::string_view text) {
    if (peek().kind == Token::Kind::kText || peek().text != text) return false;
    Next();
    return true;
  }
  void Expect(std::string_view text) {
    if (!Skip(text)) Refuse("expected " + std::string(text) + " at " + peek().text);
  }
  void Refuse(std::string message) {
    if (!error_) error_ = Error{ErrorCode::kInvalidQuery, std::move(message), {}};
  }
  // Hands on what was made; after an error, a NULL so that reading can go on.
  ExpressionPtr Made(Result<ExpressionPtr> made) {
    if (made) return *made;
    if (!error_) error_ = made.error();
    return MakeLiteral(Value::Null());
  }
  ExpressionPtr Call(Operation operation, std::vector<ExpressionPtr> arguments) {
    return Made(MakeCall(operation, std::move(arguments)));
  }

  ExpressionPtr ReadOr() {
    ExpressionPtr left = ReadAnd();
    while (Skip("OR")) left = Call(Operation::kOr, {left, ReadAnd()});
    return left;
  }
  ExpressionPtr ReadAnd() {
    ExpressionPtr left = ReadNot();
    while (Skip("AND")) left = Call(Operation::kAnd, {left, ReadNot()});
    return left;
  }
  ExpressionPtr ReadNot() {
    if (Skip("NOT")) return Call(Operation::kNot, {ReadNot()});
    return ReadComparison();
  }
  ExpressionPtr ReadIs(ExpressionPtr left) {
    const bool negated = Skip("NOT");
    if (Skip("NULL")) return Call(negated ? Operation::kIsNotNull : Operation::kIsNull, {left});
    if (Skip("TRUE")) return Call(negated ? Operation::kIsNotTrue : Operation::kIsTrue, {left});
    if (Skip("FALSE")) return Call(negated ? Operation::kIsNotFalse : Operation::kIsFalse, {left});
    Expect("DISTINCT");
    Expect("FROM");
    const auto operation = negated ? Operation::kIsNotDistinctFrom : Operation::kIsDistinctFrom;
    return Call(operation, {left, ReadSum()});
  }
  ExpressionPtr ReadComparison() {
    static const std::map<std::string, Operation, std::less<>> known = {
        {"=", Operation::kEqual},   {"<>", Operation::kNotEqual},
        {"<", Operation::kLess},    {"<=", Operation::kLessEqual},
        {">", Operation::kGreater}, {">=", Operation::kGreaterEqual},
    };
    ExpressionPtr left = ReadSum();
    const auto found = known.find(peek().text);
    if (peek().kind == Token::Kind::kSymbol && found != known.end()) {
      Next();
      return Call(found->second, {left, ReadSum()});
    }
    if (Skip("IS")) return ReadIs(left);
    const bool negated = Skip("NOT");
    ExpressionPtr test = left;
    if (Skip("LIKE")) {
      std::vector<ExpressionPtr> arguments = {left, ReadSum()};
      if (Skip("ESCAPE")) arguments.push_back(ReadSum());
      test = Call(Operation::kLike, arguments);
    } else if (Skip("IN")) {
      std::vector<ExpressionPtr> arguments = ReadArguments();
      arguments.insert(arguments.begin(), left);
      test = Call(Operation::kIn, arguments);
    }
    return negated ? Call(Operation::kNot, {test}) : test;
  }
  ExpressionPtr ReadSum() {
    ExpressionPtr left = ReadProduct();
    while (true) {
      if (Skip("+")) {
        left = Call(Operation::kAdd, {left, ReadProduct()});
      } else if (Skip("-")) {
        left = Call(Operation::kSubtract, {left, ReadProduct()});
      } else {
        return left;
      }
    }
  }
  ExpressionPtr ReadProduct() {
    ExpressionPtr left = ReadSign();
    while (true) {
      if (Skip("*")) {
        left = Call(Operation::kMultiply, {left, ReadSign()});
      } else if (Skip("/")) {
        left = Call(Operation::kDivide, {left, ReadSign()});
      } else if (Skip("%")) {
        left = Call(Operation::kModulo, {left, ReadSign()});
      } else {
        return left;
      }
    }
  }
  ExpressionPtr ReadSign() {
    if (Skip("-")) return Call(Operation::kNegate, {ReadSign()});
    return ReadPrimary();
  }
  std::vector<ExpressionPtr> ReadArguments() {
    std::vector<ExpressionPtr> arguments;
    Expect("(");
    if (Skip(")")) return arguments;
    do {
      arguments.push_back(ReadOr());
    } while (Skip(","));
    Expect(")");
    return arguments;
  }

  ExpressionPtr ReadNumber(const std::string& text) {
    if (text.find_first_of("eE") != std::string::npos) {
      return MakeLiteral({DataType::Double(), std::stod(text)});
    }
    const size_t point = text.find('.');
    if (point != std::string::npos) {
      std::string digits = text;
      digits.erase(point, 1);
      const auto scale = static_cast<uint8_t>(text.size() - point - 1);
      const auto precision = static_cast<uint8_t>(std::max<size_t>(
          digits.size() - std::min(digits.find_first_not_of('0'), digits.size() - 1), scale));
      return MakeLiteral({DataType::Decimal(precision, scale), std::stoll(digits)});
    }
    const int64_t number = std::stoll(text);
    const bool fits = number <= INT32_MAX;
    return MakeLiteral({fits ? DataType::Int() : DataType::BigInt(), number});
  }

  ExpressionPtr ReadInterval() {
    const std::string text = Next().text;
    const std::string unit = Next().text;
    static const std::map<std::string, int64_t> micros = {{"DAY", 86'400'000'000},
                                                          {"HOUR", 3'600'000'000},
                                                          {"MINUTE", 60'000'000},
                                                          {"SECOND", 1'000'000},
                                                          {"MICROSECOND", 1}};
    const auto months = std::map<std::string, int64_t>{{"MONTH", 1}, {"YEAR", 12}};
    if (months.contains(unit)) {
      return MakeLiteral({DataType::IntervalMonth(), std::stoll(text) * months.at(unit)});
    }
    const auto length = std::stold(text) * static_cast<long double>(micros.at(unit));
    return MakeLiteral({DataType::IntervalDay(), std::llround(length)});
  }

  // DATE '…', TIMESTAMP '…', TIMESTAMP_LTZ '…'.
  ExpressionPtr ReadTime(const std::string& word) {
    const std::string text = Next().text;
    DataType type = DataType::Date();
    const size_t point = text.find('.');
    const auto digits =
        static_cast<uint8_t>(point == std::string::npos ? 0 : text.size() - point - 1);
    if (word == "TIMESTAMP") type = DataType::Timestamp(digits);
    if (word == "TIMESTAMP_LTZ") type = DataType::TimestampLtz(digits);
    const ExpressionPtr cast = Made(MakeCast(MakeLiteral(Value::String(text)), type));
    Result<Value> value = EvaluateConstant(cast);
    if (!value) Refuse(value.error().message);
    return value ? MakeLiteral(*value) : cast;
  }

  ExpressionPtr ReadCase() {
    std::vector<ExpressionPtr> arguments;
    while (Skip("WHEN")) {
      arguments.push_back(ReadOr());
      Expect("THEN");
      arguments.push_back(ReadOr());
    }
    arguments.push_back(Skip("ELSE") ? ReadOr() : MakeLiteral(Value::Null()));
    Expect("END");
    return Call(Operation::kCase, arguments);
  }

  ExpressionPtr ReadWord(const std::string& word) {
    if (word == "NULL") return MakeLiteral(Value::Null());
    if (word == "TRUE") return MakeLiteral(Value::Boolean(true));
    if (word == "FALSE") return MakeLiteral(Value::Boolean(false));
    if (word == "CASE") return ReadCase();
    if (word == "INTERVAL") return ReadInterval();
    if (peek().kind == Token::Kind::kText) return ReadTime(word);
    if (word == "CAST" || word == "TRY_CAST") {
      Expect("(");
      const ExpressionPtr argument = ReadOr();
      Expect("AS");
      const DataType type = ReadType();
      Expect(")");
      return Made(MakeCast(argument, type, {}, word == "TRY_CAST"));
    }
    if (peek().text == "(") return Made(MakeFunction(word, ReadArguments()));
    const std::optional<int> column = schema_->IndexOf(word);
    if (column) return MakeColumn(*column, schema_->fields[static_cast<size_t>(*column)].type);
    // A unit of time, as TIMESTAMPADD has it.
    return MakeLiteral(Value::String(word));
  }

  ExpressionPtr ReadPrimary() {
    const Token token = Next();
    switch (token.kind) {
      case Token::Kind::kNumber:
        return ReadNumber(token.text);
      case Token::Kind::kText:
        return MakeLiteral(Value::String(token.text));
      case Token::Kind::kWord:
        return ReadWord(token.text);
      default:
        break;
    }
    if (token.text == "(") {
      ExpressionPtr inner = ReadOr();
      Expect(")");
      return inner;
    }
    Refuse("unexpected " + token.text);
    return MakeLiteral(Value::Null());
  }

  std::vector<Token> tokens_;
  size_t next_ = 0;
  const Schema* schema_;
  std::optional<Error> error_;
};

}  // namespace

DataType TypeFromText(std::string_view text) {
  const Schema none;
  return Reader(text, &none).ReadType();
}

Column ColumnFromText(DataType type, const std::vector<std::string>& values) {
  ColumnBuilder builder(type);
  for (const std::string& text : values) {
    if (text == "NULL") {
      builder.AppendNull();
      continue;
    }
    if (type.is_variable_width()) {
      builder.AppendString(text);
      continue;
    }
    // Intervals of microseconds or months.
    const bool number =
        type.kind == TypeKind::kIntervalDay || type.kind == TypeKind::kIntervalMonth;
    const DataType read_as = number ? DataType::BigInt() : type;
    Result<ExpressionPtr> cast = MakeCast(MakeLiteral(Value::String(text)), read_as);
    BRAID_CHECK(cast.has_value(), "a type that text can be cast to");
    Result<Value> value = EvaluateConstant(*cast);
    BRAID_CHECK(value.has_value(), text.c_str());
    builder.AppendValue({type, value->data});
  }
  return builder.Finish();
}

std::vector<std::string> FormatColumn(const Column& column) {
  std::vector<std::string> values;
  for (int64_t row = 0; row < column.length(); ++row) {
    values.push_back(FormatValue(ValueAt(column, row)));
  }
  return values;
}

TestTable::TestTable(const std::vector<TestColumn>& columns) {
  for (const TestColumn& column : columns) {
    schema_.fields.push_back({column.name, column.type});
    columns_.push_back(ColumnFromText(column.type, column.values));
    num_rows_ = columns_.back().length();
  }
}

Result<ExpressionPtr> TestTable::Parse(std::string_view text) const {
  return Reader(text, &schema_).ReadAll();
}

std::vector<std::string> TestTable::Evaluate(std::string_view text,
                                             EvaluationContext context) const {
  Result<ExpressionPtr> expression = Parse(text);
  if (!expression) return {"#" + expression.error().message};
  Result<Evaluator> evaluator = Evaluator::Create(*expression);
  if (!evaluator) return {"#" + evaluator.error().message};
  const Column column = evaluator->Evaluate(columns_, num_rows_, &context);
  BRAID_CHECK(column.length() == num_rows_, "a value for each row");
  BRAID_CHECK(column.type() == (*expression)->type, "the type that was promised");
  std::vector<std::string> values = FormatColumn(column);
  int64_t last_row = -1;
  for (const RowError& error : context.row_errors) {
    BRAID_CHECK(error.row > last_row, "errors rise by row, one a row");
    last_row = error.row;
    values[static_cast<size_t>(error.row)] = "!" + error.message;
  }
  return values;
}

void ExpectValues(const TestTable& table, const std::vector<ExpressionCase>& cases) {
  for (const ExpressionCase& each : cases) {
    EXPECT_THAT(table.Evaluate(each.expression), testing::ElementsAreArray(each.values))
        << each.expression;
  }
}

std::vector<int32_t> TestTable::Filter(std::string_view text) const {
  Result<ExpressionPtr> expression = Parse(text);
  BRAID_CHECK(expression.has_value(), std::string(text).c_str());
  Result<Evaluator> evaluator = Evaluator::Create(*expression);
  BRAID_CHECK(evaluator.has_value(), std::string(text).c_str());
  EvaluationContext context;
  std::vector<int32_t> rows;
  for (int32_t row = 0; row < num_rows_; ++row) rows.push_back(row);
  evaluator->Filter(columns_, &context, &rows);
  return rows;
}

std::string TestTable::Format(std::string_view text) const {
  Result<ExpressionPtr> expression = Parse(text);
  if (!expression) return "#" + expression.error().message;
  return FormatExpression(**expression, [this](int column) { return name(column); });
}

}  // namespace braid
