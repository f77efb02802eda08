-- The tables of W1, rows that are at most ${SECONDS} seconds apart; for keys that come often. ${DATA} holds L.csv
-- and R.csv, rows may be ${DELAY} seconds late, ${SINK} has the options of the table they go to.
CREATE TABLE impressions (
  ad_id BIGINT, ms BIGINT, campaign INT, price DOUBLE,
  ts AS TO_TIMESTAMP_LTZ(ms, 3),
  WATERMARK FOR ts AS ts - INTERVAL '${DELAY}' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/L.csv', 'format' = 'csv');

CREATE TABLE clicks (
  ad_id BIGINT, ms BIGINT, user_id BIGINT,
  ts AS TO_TIMESTAMP_LTZ(ms, 3),
  WATERMARK FOR ts AS ts - INTERVAL '${DELAY}' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/R.csv', 'format' = 'csv');

CREATE TABLE joined (
  ad_id BIGINT, shown TIMESTAMP_LTZ(3), campaign INT, price DOUBLE, clicked TIMESTAMP_LTZ(3),
  user_id BIGINT
) WITH (${SINK});

INSERT INTO joined
SELECT l.ad_id, l.ts, l.campaign, l.price, CAST(r.ts AS TIMESTAMP_LTZ(3)), r.user_id
FROM impressions AS l
JOIN clicks AS r ON l.ad_id = r.ad_id AND r.ts BETWEEN l.ts - INTERVAL '${SECONDS}' SECOND AND l.ts + INTERVAL '${SECONDS}' SECOND;
