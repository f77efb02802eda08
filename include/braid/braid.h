// Braid, whole: include this one. To read about it, begin with engine.h; docs/embedding.md is the
// guide.
#pragma once

#if defined(__cplusplus) && __cplusplus < 202002L
#error "Braid needs C++20: compile with -std=c++20"
#endif

#include "braid/change_kind.h"
#include "braid/chrono.h"
#include "braid/clock.h"
#include "braid/column_builder.h"
#include "braid/connector.h"
#include "braid/data_type.h"
#include "braid/engine.h"
#include "braid/error.h"
#include "braid/expr.h"
#include "braid/memory_result.h"
#include "braid/memory_stream.h"
#include "braid/mode.h"
#include "braid/option.h"
#include "braid/progress.h"
#include "braid/push_query.h"
#include "braid/query.h"
#include "braid/query_builder.h"
#include "braid/query_listener.h"
#include "braid/row_batch.h"
#include "braid/row_batch_builder.h"
#include "braid/row_function.h"
#include "braid/schema.h"
#include "braid/select_builder.h"
#include "braid/sink.h"
#include "braid/source.h"
#include "braid/table.h"
#include "braid/time.h"
#include "braid/trigger.h"
#include "braid/value.h"
#include "braid/version.h"
