// Expressions: syntax and a scope to bound, typed expressions.
//
// Thread rule: one thread; borrows the scope and the source.
#pragma once

#include "braid/error.h"
#include "engine/expression/expression.h"
#include "engine/sql/scope.h"
#include "engine/sql/source_text.h"
#include "engine/sql/syntax.h"

namespace braid {

class ExpressionBinder {
 public:
  ExpressionBinder(const Scope* scope, const SourceText* source) : scope_(scope), source_(source) {}

  // Fails with kInvalidQuery and the place of the part that does not fit.
  Result<ExpressionPtr> Bind(const ExpressionSyntax& syntax) const;

  // The same for a condition: BOOLEAN. `clause` (ON, WHERE) is for the message.
  Result<ExpressionPtr> BindCondition(const ExpressionSyntax& syntax, const char* clause) const;

 private:
  Result<ExpressionPtr> BindLiteral(const ExpressionSyntax& syntax, bool negative) const;
  Result<ExpressionPtr> BindName(const ExpressionSyntax& syntax) const;
  Result<ExpressionPtr> BindOperator(const ExpressionSyntax& syntax) const;
  Result<ExpressionPtr> BindNegate(const ExpressionSyntax& syntax) const;
  Result<ExpressionPtr> BindIsUnknown(const ExpressionSyntax& syntax) const;
  Result<ExpressionPtr> BindBetween(const ExpressionSyntax& syntax) const;
  Result<ExpressionPtr> BindCase(const ExpressionSyntax& syntax) const;
  Result<ExpressionPtr> BindFunction(const ExpressionSyntax& syntax) const;
  // CEIL(x TO unit), FLOOR(x TO unit).
  Result<ExpressionPtr> BindRoundedTime(const ExpressionSyntax& syntax) const;
  Result<ExpressionPtr> BindCast(const ExpressionSyntax& syntax) const;
  Result<ExpressionPtr> BindSimple(Operation operation, const ExpressionSyntax& syntax) const;
  Result<std::vector<ExpressionPtr>> BindArguments(const ExpressionSyntax& syntax) const;
  tl::unexpected<Error> RefuseKind(const ExpressionSyntax& syntax) const;

  Place PlaceOf(const ExpressionSyntax& syntax) const { return source_->PlaceAt(syntax.anchor); }
  tl::unexpected<Error> Refuse(std::string message, const ExpressionSyntax& syntax) const {
    return Fail(ErrorCode::kInvalidQuery, std::move(message), PlaceOf(syntax));
  }

  const Scope* scope_;
  const SourceText* source_;
};

}  // namespace braid
