// What the makers of function calls share: checks and implicit casts of arguments, and the call
// that a kernel evaluates.
//
// Thread rule: free functions.
#pragma once

#include <string>
#include <string_view>

#include "braid/error.h"
#include "engine/expression/function_registry.h"

namespace braid {

// The call under its name, with the arguments as they are now. `type` is that of the result.
Result<ExpressionPtr> MakeKernelCall(FunctionCall call, DataType type);

// "ABS takes a number, got STRING".
tl::unexpected<Error> RefuseArgument(const FunctionCall& call, std::string_view wanted,
                                     const Expression& got);

// The arguments from `first` up to `end` (all if they are fewer) must be STRING or NULL; they are
// STRING then.
Status TakeTexts(FunctionCall* call, size_t first, size_t end);

// The argument must be TINYINT, SMALLINT, INT or NULL; it is an INT then. A missing one is none.
Status TakeInt(FunctionCall* call, size_t index);

// The argument must be a literal text that names a unit of time (in any case); it is the name in
// upper case then.
Status TakeUnit(FunctionCall* call, size_t index);

// ASCII letters in upper case.
std::string UpperCaseAscii(std::string_view text);

// The text of a literal; null if `expression` is none, or NULL.
const std::string* LiteralText(const Expression& expression);

}  // namespace braid
