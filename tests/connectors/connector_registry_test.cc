#include "engine/connectors/connector_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "engine/connectors/memory.h"

namespace braid {
namespace {

using testing::HasSubstr;

TEST(ConnectorRegistryTest, AnUnknownConnectorIsRefusedWithTheKnownOnes) {
  ConnectorRegistry registry;
  registry.Add("memory", std::make_shared<MemoryConnector>());
  TableDescription table;
  table.name = "t";
  table.options["connector"] = {"memry", {"job.sql", 3, 9, {}, {}}};
  const Result<const Connector*> found = registry.Find(table);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kInvalidOption);
  EXPECT_EQ(found.error().place.line, 3);
  EXPECT_EQ(found.error().message,
            "table t: unknown connector 'memry'; did you mean 'memory'?; known connectors: memory");
  table.options["connector"].value = "memory";
  EXPECT_TRUE(registry.Find(table));
}

TEST(ConnectorRegistryTest, AMissingConnectorIsNamed) {
  TableDescription table;
  table.name = "t";
  table.place = {"job.sql", 1, 1, {}, {}};
  const Result<const Connector*> found = BuiltInConnectors().Find(table);
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, HasSubstr("the option 'connector' is missing"));
  EXPECT_EQ(found.error().place.line, 1);
}

}  // namespace
}  // namespace braid
