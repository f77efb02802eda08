// Where a program begins: an engine makes queries, which share its settings, connectors and clock.
//
//   Result<Engine> engine = Engine::Create({.checkpoint_directory = "checkpoint"});
//   Result<Query> query = engine->Sql(text).ForEachBatch(Use).Start();
//
// Ownership: a value; copies are the same engine. Queries keep what they need of it alive.
// Thread rule: any thread, but AddConnector not while another thread makes a query.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "braid/clock.h"
#include "braid/connector.h"
#include "braid/error.h"
#include "braid/export.h"
#include "braid/query_builder.h"
#include "braid/select_builder.h"
#include "braid/table.h"

namespace braid {

struct EngineState;  // Of the engine's own.

struct EngineOptions {
  // Where queries keep state and offsets; empty: in memory, and nothing is durable. A directory
  // belongs to one query: with several, each names its own by QueryBuilder::Checkpoint.
  std::string checkpoint_directory = {};
  // Partitions, each with a thread, that a join is spread over; 1 to 256.
  int parallelism = 1;
  // SET 'key' = 'value' for all queries (docs/operations.md lists the keys). Those of a query and
  // those in its SQL text win.
  std::map<std::string, std::string> settings = {};
  // What triggers and PROCTIME() read; null: the machine's. A ManualClock makes tests repeatable.
  std::shared_ptr<Clock> clock = nullptr;
};

class BRAID_EXPORT Engine {
 public:
  // kInvalidOption if a setting cannot be read.
  static Result<Engine> Create(EngineOptions options = {});

  // 'connector' = 'name' in SQL text then means this one. Replaces one of the same name, also a
  // built-in one.
  void AddConnector(std::string name, std::shared_ptr<const Connector> connector);

  // A job in SQL, as `braid run` reads it: any number of CREATE TABLE, CREATE VIEW and SET, and one
  // INSERT INTO … SELECT or one SELECT. Errors of the text come with Start or Explain.
  QueryBuilder Sql(std::string text) const;

  // The same without SQL text: the first table of a query.
  SelectBuilder From(Table table, std::string alias = {}) const;

 private:
  explicit Engine(std::shared_ptr<EngineState> state) : state_(std::move(state)) {}

  std::shared_ptr<EngineState> state_;
};

}  // namespace braid
