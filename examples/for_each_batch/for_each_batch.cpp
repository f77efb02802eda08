// An effect that happens exactly once, although the program fails between the effect and the commit
// of its batch: the effect remembers the batch's id.
#include <braid/braid.h>

#include <cstdint>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <string>

namespace {

constexpr const char* kJob = R"sql(
  CREATE TABLE orders (
    order_id BIGINT, customer STRING, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '1' SECOND);
  CREATE TABLE payments (
    order_id BIGINT, cents BIGINT, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '1' SECOND);
  SELECT o.customer, p.cents
  FROM orders AS o JOIN payments AS p
    ON o.order_id = p.order_id AND p.ts BETWEEN o.ts AND o.ts + INTERVAL '1' HOUR
)sql";

// Stands for a database: what Add does, it does in one transaction or not at all. To add to a
// balance twice would be wrong, so the id of the newest batch is kept with the balances.
class Database {
 public:
  int64_t last_batch() const { return last_batch_; }
  const std::map<std::string, int64_t>& balances() const { return balances_; }

  void Add(int64_t batch, const std::map<std::string, int64_t>& payments) {
    for (const auto& [customer, cents] : payments) balances_[customer] += cents;
    last_batch_ = batch;
  }

 private:
  std::map<std::string, int64_t> balances_;
  int64_t last_batch_ = -1;
};

// What is called once a batch, before the batch is committed. If it fails, or the program dies
// before the commit, the same batch comes again after the restart: the same id, the same rows.
class Booking {
 public:
  explicit Booking(Database* database) : database_(database) {}

  // The next batch with rows is booked, but not committed.
  void FailAfterTheNextEffect() { fails_ = true; }

  braid::Status operator()(const braid::RowBatch& rows, const braid::BatchInfo& batch) {
    // Batches without rows come too: of rows without a match, or to let old rows go.
    if (rows.num_rows() == 0) return {};
    std::cout << "  batch " << batch.id << ", rows: " << rows.num_rows();
    if (batch.id <= database_->last_batch()) {
      std::cout << ": booked before, left alone\n";
      return {};
    }
    std::map<std::string, int64_t> payments;
    for (int64_t row = 0; row < rows.num_rows(); ++row) {
      payments[std::string(rows.String(0, row))] += rows.Int64(1, row);
    }
    database_->Add(batch.id, payments);
    std::cout << ": booked\n";
    if (!fails_) return {};
    fails_ = false;
    return braid::Fail(braid::ErrorCode::kIo, "the connection broke after the booking");
  }

 private:
  Database* database_;
  bool fails_ = false;
};

// Orders and payments of a moment, in seconds. The streams outlive the queries that read them, so a
// query that is started again can be given the same rows again.
class Shop {
 public:
  const std::shared_ptr<braid::MemoryStream>& orders() const { return orders_; }
  const std::shared_ptr<braid::MemoryStream>& payments() const { return payments_; }

  braid::Status Sell(int64_t order, const char* customer, int64_t cents, int64_t second) {
    const braid::EventTime time = braid::EventTime{} + braid::Seconds(second);
    braid::RowBatchBuilder order_row(orders_->shared_schema());
    order_row.Append(order, customer, time);
    if (braid::Status pushed = orders_->Push(order_row.Finish()); !pushed) return pushed;
    braid::RowBatchBuilder payment_row(payments_->shared_schema());
    payment_row.Append(order, cents, time + braid::Seconds(1));
    return payments_->Push(payment_row.Finish());
  }

 private:
  using Stream = braid::MemoryStream;
  using Type = braid::DataType;

  std::shared_ptr<Stream> orders_ = std::make_shared<Stream>(
      braid::Schema{
          {{"order_id", Type::BigInt()}, {"customer", Type::String()}, {"ts", Type::Timestamp(3)}}},
      Stream::Kind::kInfinite);
  std::shared_ptr<Stream> payments_ = std::make_shared<Stream>(
      braid::Schema{
          {{"order_id", Type::BigInt()}, {"cents", Type::BigInt()}, {"ts", Type::Timestamp(3)}}},
      Stream::Kind::kInfinite);
};

// Runs the job until all that was sold is booked, or until the booking fails, and ends it: as a
// program would that is started, stopped and started again.
braid::Status Run(const Shop& shop, Booking* booking) {
  auto engine = braid::Engine::Create({.checkpoint_directory = "checkpoint/for_each_batch"});
  if (!engine) return tl::unexpected(engine.error());
  auto query =
      engine->Sql(kJob)
          .Source("orders", shop.orders())
          .Source("payments", shop.payments())
          .ForEachBatch([booking](const braid::RowBatch& rows, const braid::BatchInfo& batch) {
            return (*booking)(rows, batch);
          })
          .Start();
  if (!query) return tl::unexpected(query.error());
  return query->ProcessAllAvailable();
}

// Each run ends with an error or without one; says which, and what the database holds.
void RunAndShow(const char* title, const Shop& shop, Booking* booking, const Database& database) {
  std::cout << title << ":\n";
  const braid::Status ran = Run(shop, booking);
  if (!ran) std::cout << "  " << ran.error().ToString() << '\n';
  for (const auto& [customer, cents] : database.balances()) {
    std::cout << "  " << customer << " has paid " << cents << " cents\n";
  }
}

int Report(const braid::Error& error) {
  std::cerr << error.ToString() << '\n';
  return 1;
}

}  // namespace

int main() {
  std::filesystem::remove_all("checkpoint/for_each_batch");  // Each time from the beginning.
  Shop shop;
  Database database;
  Booking booking(&database);

  if (braid::Status sold = shop.Sell(1, "Ada", 250, 0); !sold) return Report(sold.error());
  if (braid::Status sold = shop.Sell(2, "Bob", 400, 1); !sold) return Report(sold.error());
  RunAndShow("The first run", shop, &booking, database);

  if (braid::Status sold = shop.Sell(3, "Ada", 100, 10); !sold) return Report(sold.error());
  booking.FailAfterTheNextEffect();
  RunAndShow("The second run fails between effect and commit", shop, &booking, database);

  if (braid::Status sold = shop.Sell(4, "Bob", 50, 20); !sold) return Report(sold.error());
  RunAndShow("The third run", shop, &booking, database);
  return 0;
}
