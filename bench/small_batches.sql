-- One row a batch: a trigger takes one record from one of the tables.
CREATE TABLE l (
  k BIGINT, ms BIGINT, note STRING, ts AS TO_TIMESTAMP_LTZ(ms, 3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/l', 'format' = 'csv', 'source.max-bytes-per-trigger' = '1');

CREATE TABLE r (
  k BIGINT, ms BIGINT, note STRING, ts AS TO_TIMESTAMP_LTZ(ms, 3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/r', 'format' = 'csv', 'source.max-bytes-per-trigger' = '1');

CREATE TABLE o (k BIGINT, ts TIMESTAMP(3), left_note STRING, right_note STRING)
WITH ('connector' = 'filesystem', 'path' = '${DATA}/out', 'format' = 'csv', 'sink.min-file-size' = '${FILE_BYTES}');

INSERT INTO o
SELECT l.k, CAST(l.ts AS TIMESTAMP(3)), l.note, r.note FROM l
LEFT JOIN r ON l.k = r.k AND r.ts BETWEEN l.ts - INTERVAL '1' SECOND AND l.ts + INTERVAL '1' SECOND;
