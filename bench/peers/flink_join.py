"""Flink SQL's interval join of W1, one slot, state on the heap, to a blackhole.

  flink_join.py FOLDER

The rows of a blackhole are not counted: prints out=none.
"""
import sys

from pyflink.table import EnvironmentSettings, TableEnvironment

SETTINGS = {
    "parallelism.default": "1",
    "pipeline.object-reuse": "true",
    "state.backend.type": "hashmap",
    "table.local-time-zone": "UTC",
}
TABLE = """CREATE TABLE {name} ({columns}, ts AS TO_TIMESTAMP_LTZ(ms, 3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
  WITH ('connector' = 'filesystem', 'path' = 'file://{path}', 'format' = 'csv')"""
SINK = """CREATE TABLE joined (ad_id BIGINT, shown TIMESTAMP_LTZ(3), campaign INT, price DOUBLE,
  clicked BIGINT, user_id BIGINT) WITH ('connector' = 'blackhole')"""
QUERY = """INSERT INTO joined
  SELECT l.ad_id, l.ts, l.campaign, l.price, r.ms, r.user_id
  FROM l JOIN r ON l.ad_id = r.ad_id AND r.ts BETWEEN l.ts AND l.ts + INTERVAL '60' SECOND"""


def main():
    folder = sys.argv[1]
    environment = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    for key, value in SETTINGS.items():
        environment.get_config().set(key, value)
    tables = {"l": ("ad_id BIGINT, ms BIGINT, campaign INT, price DOUBLE", "L.csv"),
              "r": ("ad_id BIGINT, ms BIGINT, user_id BIGINT", "R.csv")}
    for name, (columns, file) in tables.items():
        environment.execute_sql(
            TABLE.format(name=name, columns=columns, path=f"{folder}/{file}"))
    environment.execute_sql(SINK)
    environment.execute_sql(QUERY).wait()
    print("out=none")


if __name__ == "__main__":
    main()
