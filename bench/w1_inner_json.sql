-- W1 from JSON lines. ${DATA} holds L.jsonl and R.jsonl.
CREATE TABLE impressions (
  ad_id BIGINT, ts BIGINT, campaign INT, price DOUBLE,
  shown AS TO_TIMESTAMP_LTZ(ts, 3),
  WATERMARK FOR shown AS shown - INTERVAL '5' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/L.jsonl', 'format' = 'json');

CREATE TABLE clicks (
  ad_id BIGINT, ts BIGINT, `user` BIGINT,
  clicked AS TO_TIMESTAMP_LTZ(ts, 3),
  WATERMARK FOR clicked AS clicked - INTERVAL '5' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/R.jsonl', 'format' = 'json');

CREATE TABLE joined (
  ad_id BIGINT, shown TIMESTAMP_LTZ(3), campaign INT, price DOUBLE, clicked TIMESTAMP_LTZ(3),
  user_id BIGINT
) WITH ('connector' = 'blackhole');

INSERT INTO joined
SELECT l.ad_id, l.shown, l.campaign, l.price, CAST(r.clicked AS TIMESTAMP_LTZ(3)), r.`user`
FROM impressions AS l
JOIN clicks AS r
  ON l.ad_id = r.ad_id AND r.clicked BETWEEN l.shown AND l.shown + INTERVAL '60' SECOND;
