// The connectors that a job may name. There is no global registry: the session builds one, adds the
// built-in connectors and whatever a program brings.
//
// Option errors of the built-in connectors: kInvalidOption naming the option, its place in the SQL
// text, and the nearest known option; Flink's options without effect here are accepted and listed
// once in `notes`.
// Thread rule: build it, then share it read-only.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "braid/connector.h"
#include "braid/error.h"

namespace braid {

class StandardInput;

class ConnectorRegistry {
 public:
  // Replaces one of the same name.
  void Add(std::string name, std::shared_ptr<const Connector> connector);

  // Fails with kInvalidOption naming the known connectors.
  Result<const Connector*> Find(const TableDescription& table) const;

  // What FROM '-' looks at and the connector 'filesystem' reads: one for both. Null if there is
  // none.
  void SetStandardInput(std::shared_ptr<StandardInput> input) {
    standard_input_ = std::move(input);
  }
  StandardInput* standard_input() const { return standard_input_.get(); }

 private:
  std::shared_ptr<StandardInput> standard_input_;
  std::map<std::string, std::shared_ptr<const Connector>, std::less<>> connectors_;
};

// filesystem, socket, datagen, print, blackhole.
ConnectorRegistry BuiltInConnectors();

}  // namespace braid
