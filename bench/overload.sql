-- Two sockets that send as fast as they can; rows match within two seconds, so that little is in state.
CREATE TABLE l (k BIGINT, ms BIGINT, ts AS TO_TIMESTAMP_LTZ(ms, 3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND)
WITH ('connector' = 'socket', 'hostname' = '127.0.0.1', 'port' = '${LEFT}', 'format' = 'csv',
      'socket.reconnect' = 'false');

CREATE TABLE r (k BIGINT, ms BIGINT, ts AS TO_TIMESTAMP_LTZ(ms, 3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND)
WITH ('connector' = 'socket', 'hostname' = '127.0.0.1', 'port' = '${RIGHT}', 'format' = 'csv',
      'socket.reconnect' = 'false');

CREATE TABLE joined (k BIGINT, left_ms BIGINT, right_ms BIGINT) WITH ('connector' = 'blackhole');

INSERT INTO joined
SELECT l.k, l.ms, r.ms FROM l
JOIN r ON l.k = r.k AND r.ts BETWEEN l.ts - INTERVAL '1' SECOND AND l.ts + INTERVAL '1' SECOND;
