// Chains of joins against nested loops: for input without late rows the final rows are those of the
// joins one after the other, in every order of reading, whole and restarted between any two
// records.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "braid/row_batch_builder.h"
#include "engine/connectors/memory.h"
#include "engine/session/job.h"
#include "tests/cases/ticking_clock.h"

namespace braid {
namespace {

struct Record {
  int64_t key = 0;
  int64_t seconds = 0;
  int64_t value = 0;
};

// A row of the first two tables, either of which may be missing.
struct Pair {
  std::optional<Record> left;
  std::optional<Record> right;
};

using Tables = std::map<std::string, std::vector<Record>>;

constexpr const char* kNames[] = {"a", "b", "c"};
constexpr int64_t kFirstWindow = 3;
constexpr int64_t kSecondWindow = 2;

std::string Cell(const std::optional<Record>& record) {
  return record ? std::to_string(record->value) : "-";
}

bool Keeps(const std::string& type, const char* side) { return type == side || type == "FULL"; }

// Joins `left` with `right` by nested loops; `make` makes a row of what there is of both.
template <typename Left, typename Row, typename Matches, typename Make>
std::vector<Row> NestedLoop(const std::string& type, const std::vector<Left>& left,
                            const std::vector<Record>& right, const Matches& matches,
                            const Make& make) {
  std::vector<Row> rows;
  std::vector<bool> matched(right.size(), false);
  for (const Left& row : left) {
    bool any = false;
    for (size_t other = 0; other < right.size(); ++other) {
      if (!matches(row, right[other])) continue;
      any = matched[other] = true;
      rows.push_back(make(std::optional(row), std::optional(right[other])));
    }
    if (!any && Keeps(type, "LEFT")) rows.push_back(make(std::optional(row), std::nullopt));
  }
  for (size_t other = 0; other < right.size(); ++other) {
    if (matched[other] || !Keeps(type, "RIGHT")) continue;
    rows.push_back(make(std::nullopt, std::optional(right[other])));
  }
  return rows;
}

std::string Expected(const Tables& tables, const std::string& first, const std::string& second) {
  const auto near = [](const Record& left, const Record& right, int64_t window) {
    return left.key == right.key && std::abs(left.seconds - right.seconds) <= window;
  };
  const std::vector<Pair> pairs = NestedLoop<Record, Pair>(
      first, tables.at("a"), tables.at("b"),
      [&](const Record& a, const Record& b) { return near(a, b, kFirstWindow); },
      [](const std::optional<Record>& a, const std::optional<Record>& b) {
        return Pair{a, b};
      });
  std::vector<std::string> rows = NestedLoop<Pair, std::string>(
      second, pairs, tables.at("c"),
      [&](const Pair& pair, const Record& c) {
        return pair.left && near(*pair.left, c, kSecondWindow);
      },
      [](const std::optional<Pair>& pair, const std::optional<Record>& c) {
        const Pair both = pair.value_or(Pair{});
        return fmt::format("{} {} {}", Cell(both.left), Cell(both.right), Cell(c));
      });
  std::sort(rows.begin(), rows.end());
  return fmt::format("{}", fmt::join(rows, ", "));
}

std::string ChainText(const std::string& first, const std::string& second,
                      const std::string& interleave) {
  std::string text = fmt::format(
      "SET 'execution.mode' = 'per-record';\nSET 'execution.checkpointing.interval' = '1 ms';\n"
      "SET 'source.interleave' = '{}';\n",
      interleave);
  for (const char* name : kNames) {
    text += fmt::format(
        "CREATE TABLE {} (k BIGINT, ts TIMESTAMP(3), v BIGINT, WATERMARK FOR ts AS ts) WITH "
        "('connector' = 'memory');\n",
        name);
  }
  return text + fmt::format(
                    "SELECT a.v, b.v AS bv, c.v AS cv FROM a {} JOIN b ON a.k = b.k AND b.ts "
                    "BETWEEN a.ts - INTERVAL '{}' SECOND AND a.ts + INTERVAL '{}' SECOND {} JOIN c "
                    "ON c.k = a.k AND c.ts BETWEEN a.ts - INTERVAL '{}' SECOND AND a.ts + INTERVAL "
                    "'{}' SECOND;",
                    first, kFirstWindow, kFirstWindow, second, kSecondWindow, kSecondWindow);
}

std::map<std::string, std::shared_ptr<MemoryStream>> StreamsOf(const Tables& tables) {
  Schema schema;
  schema.fields = {
      {"k", DataType::BigInt()}, {"ts", DataType::Timestamp(3)}, {"v", DataType::BigInt()}};
  std::map<std::string, std::shared_ptr<MemoryStream>> streams;
  for (const auto& [name, records] : tables) {
    auto stream = std::make_shared<MemoryStream>(schema, MemoryStream::Kind::kFinite);
    for (const Record& record : records) {
      std::vector<Column> columns;
      for (const int64_t cell : {record.key, record.seconds * 1'000'000, record.value}) {
        ColumnBuilder builder(schema.fields[columns.size()].type);
        builder.Append(cell);
        columns.push_back(builder.Finish());
      }
      EXPECT_TRUE(stream->Push(RowBatch(stream->shared_schema(), std::move(columns), 1)));
    }
    stream->End();
    streams[name] = stream;
  }
  return streams;
}

std::string RowsIn(const MemoryResult& result) {
  std::vector<std::string> rows;
  for (const RowBatch& batch : result.Rows()) {
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      EXPECT_EQ(batch.change_kind(row), ChangeKind::kInsert);
      std::vector<std::string> cells;
      for (int column = 0; column < batch.num_columns(); ++column) {
        cells.push_back(batch.IsNull(column, row) ? "-" : std::to_string(batch.Int64(column, row)));
      }
      rows.push_back(fmt::format("{}", fmt::join(cells, " ")));
    }
  }
  std::sort(rows.begin(), rows.end());
  return fmt::format("{}", fmt::join(rows, ", "));
}

std::string RunChain(const std::string& text, const Tables& tables, bool restarts) {
  const auto result = std::make_shared<MemoryResult>();
  const auto memory = std::make_shared<MemoryConnector>();
  for (const auto& [table, stream] : StreamsOf(tables)) memory->AddStream(table, stream);
  memory->AddResult("the result", result);
  ConnectorRegistry registry;
  for (const char* name : {"memory", "print"}) registry.Add(name, memory);
  testing::TickingClock clock;
  JobOptions options;
  options.connectors = &registry;
  options.clock = &clock;
  const std::shared_ptr<VersionedStore> store = restarts ? NewMemoryStore({}) : nullptr;
  while (true) {
    const Result<std::unique_ptr<Job>> job = Job::Prepare(text, options);
    if (!job) return job.error().ToString();
    Status status = (*job)->OpenWith(store);
    if (!restarts) {
      if (status) status = (*job)->Run();
      return status ? RowsIn(*result) : status.error().ToString();
    }
    if (status) status = (*job)->running().Start();
    if (!status) return status.error().ToString();
    const Result<TriggeredQuery::Ran> ran = (*job)->running().RunTrigger();
    if (!ran) return ran.error().ToString();
    if (*ran == TriggeredQuery::Ran::kEnd) return RowsIn(*result);
  }
}

Tables RandomTables(std::mt19937* random) {
  Tables tables;
  int64_t value = 0;
  for (const char* name : kNames) {
    const int num_rows = std::uniform_int_distribution(0, 9)(*random);
    std::vector<Record>& records = tables[name];
    for (int row = 0; row < num_rows; ++row) {
      records.push_back({std::uniform_int_distribution(1, 3)(*random),
                         std::uniform_int_distribution(0, 20)(*random), ++value});
    }
    // In time order: no row is late.
    std::sort(records.begin(), records.end(),
              [](const Record& x, const Record& y) { return x.seconds < y.seconds; });
  }
  return tables;
}

TEST(ChainPropertyTest, AChainOfIntervalJoinsIsOneNestedLoopAfterTheOther) {
  std::mt19937 random(4'711);
  for (const std::string first : {"INNER", "LEFT", "RIGHT", "FULL"}) {
    for (const std::string second : {"INNER", "LEFT", "RIGHT", "FULL"}) {
      for (int round = 0; round < 2; ++round) {
        const Tables tables = RandomTables(&random);
        const std::string expected = Expected(tables, first, second);
        for (const char* interleave : {"event-time", "round-robin", "left-first", "arrival"}) {
          const std::string text = ChainText(first, second, interleave);
          for (const bool restarts : {false, true}) {
            ASSERT_EQ(RunChain(text, tables, restarts), expected)
                << first << ", " << second << ", " << interleave << (restarts ? ", restarts" : "")
                << ", round " << round;
          }
        }
      }
    }
  }
}

// The second join of a chain takes the rows of one record in the order in which the first one gives
// them, and a late row takes expired partners away. So that order must not change with a restart,
// not even of a key with so many rows that the state keeps them otherwise.
TEST(ChainPropertyTest, LateRowsOfACrowdedKeyGiveTheSameAfterARestart) {
  for (const unsigned seed : {1U, 2U}) {
    std::mt19937 random(seed);
    Tables tables;
    int64_t value = 0;
    for (const char* name : kNames) {
      for (int row = 0; row < 120; ++row) {
        tables[name].push_back(
            {1, row / 12 + std::uniform_int_distribution(0, 5)(random), ++value});
      }
    }
    std::string text = ChainText("INNER", "LEFT", "event-time");
    text.insert(0, "SET 'table.exec.interval-join.min-cleanup-interval' = '6 s';\n");
    EXPECT_EQ(RunChain(text, tables, /*restarts=*/true), RunChain(text, tables, false)) << seed;
  }
}

}  // namespace
}  // namespace braid
