-- Rows that come one at a time over two sockets, at most a second apart; joined rows go to a third one.
CREATE TABLE l (
  id BIGINT, ms BIGINT, ts AS TO_TIMESTAMP_LTZ(ms, 3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'socket', 'hostname' = '127.0.0.1', 'port' = '${LEFT}', 'format' = 'csv');

CREATE TABLE r (
  id BIGINT, ms BIGINT, ts AS TO_TIMESTAMP_LTZ(ms, 3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'socket', 'hostname' = '127.0.0.1', 'port' = '${RIGHT}', 'format' = 'csv');

CREATE TABLE joined (id BIGINT, left_ms BIGINT, right_ms BIGINT)
WITH ('connector' = 'socket', 'hostname' = '127.0.0.1', 'port' = '${SINK}', 'format' = 'csv');

INSERT INTO joined
SELECT l.id, l.ms, r.ms FROM l
JOIN r ON l.id = r.id AND r.ts BETWEEN l.ts - INTERVAL '1' SECOND AND l.ts + INTERVAL '1' SECOND;
