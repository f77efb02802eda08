-- Which clicks belong to which ad? Ads that were shown lie in files, clicks come over a socket. A click counts
-- if it comes within a minute of the impression; an impression without one is kept, with a NULL.

CREATE TABLE impressions (
  ad_id BIGINT, ts TIMESTAMP(3), campaign STRING,
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'filesystem', 'path' = 'examples/ad_clicks/impressions', 'format' = 'csv');

CREATE TABLE clicks (
  ad_id BIGINT, ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'socket', 'hostname' = 'localhost', 'port' = '9999', 'format' = 'json',
        'socket.reconnect' = 'false');  -- When the sender closes, the clicks have ended, and the job too.

CREATE TABLE attributed (ad_id BIGINT, shown TIMESTAMP(3), clicked TIMESTAMP(3))
  WITH ('connector' = 'filesystem', 'path' = 'out/ad_clicks', 'format' = 'csv',
        'sink.existing' = 'overwrite');

INSERT INTO attributed
SELECT i.ad_id, i.ts, CAST(c.ts AS TIMESTAMP(3))     -- Flink allows one row-time column in a sink.
FROM impressions AS i LEFT JOIN clicks AS c
  ON i.ad_id = c.ad_id AND c.ts BETWEEN i.ts AND i.ts + INTERVAL '60' SECOND;
