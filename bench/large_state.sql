-- ${LARGE} rows with a text of a hundred bytes, which all stay in state, and ${SMALL} rows that look for
-- one of them each, wherever it is: more payload than memory is to take. Nothing is read from disk.
CREATE TABLE l (k BIGINT, ts TIMESTAMP(3), text STRING, WATERMARK FOR ts AS ts - INTERVAL '1' SECOND)
WITH ('connector' = 'datagen', 'rows-per-second' = '1000000000', 'number-of-rows' = '${LARGE}',
      'fields.k.kind' = 'sequence', 'fields.ts.step' = '1 ms');

CREATE TABLE r (k BIGINT, ts TIMESTAMP(3), v BIGINT, WATERMARK FOR ts AS ts - INTERVAL '1' SECOND)
WITH ('connector' = 'datagen', 'rows-per-second' = '1000000000', 'number-of-rows' = '${SMALL}',
      'fields.k.min' = '0', 'fields.k.max' = '${LAST}', 'fields.ts.step' = '${STEP} ms',
      'fields.v.kind' = 'sequence');

CREATE TABLE joined (k BIGINT, v BIGINT, text STRING)
WITH ('connector' = 'filesystem', 'path' = '${OUT}', 'format' = 'csv');

INSERT INTO joined
SELECT l.k, r.v, l.text FROM l
JOIN r ON l.k = r.k AND r.ts BETWEEN l.ts - INTERVAL '7' DAY AND l.ts + INTERVAL '7' DAY;
