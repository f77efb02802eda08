// The columns that names in an expression can mean.
//
// Thread rule: a value, used by one thread while binding.
#pragma once

#include <string>
#include <vector>

#include "braid/error.h"
#include "engine/expression/expression.h"
#include "engine/sql/source_text.h"
#include "engine/sql/syntax.h"

namespace braid {

struct ScopeColumn {
  std::string table;  // Alias of its table; empty for the column that USING made of two.
  std::string name;
  ExpressionPtr expression;  // Over the columns of the node that the scope belongs to.
  // True for a column that USING put together with another: `t.c` finds it, `c` and `*` do not.
  bool hidden = false;
};

class Scope {
 public:
  const std::vector<ScopeColumn>& columns() const { return columns_; }
  const std::vector<std::string>& tables() const { return tables_; }

  void AddTable(std::string alias) { tables_.push_back(std::move(alias)); }
  void AddColumn(ScopeColumn column) { columns_.push_back(std::move(column)); }

  // Names that are not found here are looked up there; null for none. Borrowed.
  void set_outer(const Scope* outer) { outer_ = outer; }

  // The column that c or t.c means. Fails with kInvalidQuery: unknown (with the nearest known name)
  // or ambiguous (with the candidates).
  Result<const ScopeColumn*> Find(const std::vector<NameSyntax>& names,
                                  const SourceText& source) const;

  // True if a column without a table name could be meant by `name`.
  bool Knows(const NameSyntax& name) const;

  // All columns that `*` stands for.
  std::vector<const ScopeColumn*> Star() const;

  // All columns that `t.*` stands for.
  Result<std::vector<const ScopeColumn*>> StarOf(const std::vector<NameSyntax>& names,
                                                 const SourceText& source) const;

  // The same scope for a node whose columns stand `offset` further to the right.
  Scope Shifted(int offset) const;

 private:
  std::vector<const ScopeColumn*> FindPlain(const std::string& name) const;
  // The table that `name` means: its index; nothing if it is unknown here and further out.
  Result<const std::string*> FindTable(const NameSyntax& name, const SourceText& source) const;
  Result<const ScopeColumn*> FindQualified(const NameSyntax& table, const NameSyntax& name,
                                           const SourceText& source) const;
  std::vector<std::string> PlainNames() const;

  std::vector<std::string> tables_;
  std::vector<ScopeColumn> columns_;
  const Scope* outer_ = nullptr;
};

// A column's name as messages show it: t.c, or c.
std::string QualifiedName(const ScopeColumn& column);

}  // namespace braid
