-- Rows of W1's tables that all match each other; ${SINK} has the options of the table they go to.
CREATE TABLE impressions (
  ad_id BIGINT, ms BIGINT, campaign INT, price DOUBLE,
  ts AS TO_TIMESTAMP_LTZ(ms, 3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/L.csv', 'format' = 'csv');

CREATE TABLE clicks (
  ad_id BIGINT, ms BIGINT, user_id BIGINT,
  ts AS TO_TIMESTAMP_LTZ(ms, 3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/R.csv', 'format' = 'csv');

CREATE TABLE joined (ad_id BIGINT, price DOUBLE, user_id BIGINT) WITH (${SINK});

INSERT INTO joined
SELECT l.ad_id, l.price, r.user_id FROM impressions AS l
JOIN clicks AS r ON l.ad_id = r.ad_id AND r.ts BETWEEN l.ts - INTERVAL '1' SECOND AND l.ts + INTERVAL '1' SECOND;
