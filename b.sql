SET 'execution.checkpoint' = '/cp'; SET 'execution.end-of-input' = 'hold';
CREATE TABLE l (k INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector'='filesystem','path'='/l','format'='json');
CREATE TABLE r (k INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector'='filesystem','path'='/r','format'='json');
CREATE TABLE o (k INT, a TIMESTAMP(3), b TIMESTAMP(3)) WITH ('connector'='filesystem','path'='/oB','format'='csv');
INSERT INTO o SELECT l.k, l.ts, r.ts FROM l JOIN r ON l.k = r.k AND r.ts BETWEEN l.ts - INTERVAL '1' MINUTE AND l.ts + INTERVAL '1' MINUTE;
