"""Spark's stream-stream join of W1, two local threads, one part of the files a batch; prints out=ROWS.

  spark_join.py FOLDER

The state is in memory, with snapshots in a folder of its own (Spark's default).
"""
import json
import sys
import tempfile

from pyspark.sql import SparkSession
from pyspark.sql import functions

SETTINGS = {
    "spark.driver.memory": "6g",
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.streaming.numRecentProgressUpdates": "1000",
    "spark.log.level": "ERROR",
}
QUERY = """
  SELECT l.ad_id, l.ts, l.campaign, l.price, r.ts AS clicked, r.user
  FROM l JOIN r ON l.ad_id = r.ad_id AND r.ts >= l.ts AND r.ts <= l.ts + INTERVAL 60 SECONDS"""


def create_view(spark, name, path, schema):
    rows = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).csv(path)
    rows = rows.withColumn("ts", functions.timestamp_millis("ts")).withWatermark("ts", "5 seconds")
    rows.createOrReplaceTempView(name)


def main():
    folder = sys.argv[1]
    builder = SparkSession.builder.master("local[2]")
    for key, value in SETTINGS.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    create_view(spark, "l", f"{folder}/L_parts", "ad_id BIGINT, ts BIGINT, campaign INT, price DOUBLE")
    create_view(spark, "r", f"{folder}/R_parts", "ad_id BIGINT, ts BIGINT, user BIGINT")
    joined = spark.sql(QUERY).observe("seen", functions.count(functions.lit(1)).alias("rows"))
    with tempfile.TemporaryDirectory() as checkpoint:
        query = (joined.writeStream.format("noop").outputMode("append")
                 .option("checkpointLocation", checkpoint).trigger(availableNow=True).start())
        query.awaitTermination()
        progress = [json.loads(p.json) if hasattr(p, "json") else p for p in query.recentProgress]
        spark.stop()
    rows = sum((batch.get("observedMetrics", {}).get("seen") or {}).get("rows", 0)
               for batch in progress)
    print(f"out={rows}")


if __name__ == "__main__":
    main()
