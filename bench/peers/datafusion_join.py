"""DataFusion's symmetric hash join of the files of a workload, one partition; prints out=ROWS.

  datafusion_join.py FOLDER w1-inner|w1-left|w2

The files are those in order of event time (*.sorted.csv): DataFusion has no watermark, and tells
from the order of its inputs which rows it may forget. Rows that are out of order it would lose.
"""
import sys

from datafusion import SessionConfig, SessionContext

W1_LEFT = "id BIGINT NOT NULL, ts BIGINT NOT NULL, campaign INT, price DOUBLE"
W2_LEFT = "id BIGINT NOT NULL, ts BIGINT NOT NULL, price DOUBLE"
RIGHT = "id BIGINT NOT NULL, ts BIGINT NOT NULL, number BIGINT"
W1_QUERY = """
    SELECT l.id, l.ts, l.campaign, l.price, r.ts AS right_ts, r.number FROM l {join} r
    ON l.id = r.id AND r.ts >= l.ts AND r.ts <= l.ts + 60000"""
W2_QUERY = """
    SELECT l.id, l.ts, l.price, r.ts AS right_ts, r.number FROM l JOIN r
    ON l.id = r.id AND l.ts >= r.ts AND l.ts <= r.ts + 20000"""
WORKLOADS = {
    "w1-inner": (W1_LEFT, W1_QUERY.format(join="JOIN")),
    "w1-left": (W1_LEFT, W1_QUERY.format(join="LEFT JOIN")),
    "w2": (W2_LEFT, W2_QUERY),
}


def create_table(context, name, path, columns):
    context.sql(
        f"CREATE UNBOUNDED EXTERNAL TABLE {name} ({columns}) STORED AS CSV WITH ORDER (ts ASC) "
        f"LOCATION '{path}' OPTIONS ('format.has_header' 'false')").collect()


def main():
    folder, workload = sys.argv[1:3]
    left_columns, query = WORKLOADS[workload]
    config = SessionConfig().with_target_partitions(1).with_batch_size(8192)
    config = config.set("datafusion.optimizer.allow_symmetric_joins_without_pruning", "false")
    context = SessionContext(config)
    create_table(context, "l", f"{folder}/L.sorted.csv", left_columns)
    create_table(context, "r", f"{folder}/R.sorted.csv", RIGHT)
    result = context.sql(query)
    plan = str(result.execution_plan())
    if "SymmetricHashJoinExec" not in plan:
        sys.exit(f"not a symmetric hash join:\n{plan}")
    rows = sum(batch.to_pyarrow().num_rows for batch in result.execute_stream())
    print(f"out={rows}")


if __name__ == "__main__":
    main()
