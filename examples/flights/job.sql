-- Which flights left New York's airports in poor visibility? Each flight is joined with the weather that its
-- airport reported in the hour before, if one could see less than three miles; a flight in better
-- visibility is kept, with NULLs. Run it from the top folder of the repository: make demo

SET 'execution.end-of-input' = 'flush';  -- The files end: pad what is left, although there is a checkpoint.

CREATE TABLE flights (
  ts TIMESTAMP(3),
  carrier STRING,
  flight INT,
  tailnum STRING,
  origin STRING,
  dest STRING,
  dep_delay INT,
  distance INT,
  WATERMARK FOR ts AS ts - INTERVAL '1' MINUTE
) WITH (
  'connector' = 'filesystem',
  'path' = 'examples/flights/data/flights-2013-01.csv.gz',
  'format' = 'csv',
  'csv.header' = 'true',
  'csv.null-literal' = 'NA',
  'source.max-bytes-per-trigger' = '64 kb'
);

CREATE TABLE weather (
  ts TIMESTAMP(3),
  origin STRING,
  temp DOUBLE,
  wind_speed DOUBLE,
  precip DOUBLE,
  visib DOUBLE,
  WATERMARK FOR ts AS ts - INTERVAL '1' MINUTE
) WITH (
  'connector' = 'filesystem',
  'path' = 'examples/flights/data/weather-2013-01.csv.gz',
  'format' = 'csv',
  'csv.header' = 'true',
  'csv.null-literal' = 'NA',
  'source.max-bytes-per-trigger' = '64 kb'
);

CREATE TABLE poor_visibility (
  departure TIMESTAMP(3),
  carrier STRING,
  flight INT,
  origin STRING,
  dest STRING,
  dep_delay INT,
  reported TIMESTAMP(3),
  visib DOUBLE,
  wind_speed DOUBLE
) WITH (
  'connector' = 'filesystem',
  'path' = 'out/flights',
  'format' = 'csv',
  'csv.null-literal' = 'NA'
);

INSERT INTO poor_visibility
SELECT f.ts, f.carrier, f.flight, f.origin, f.dest, f.dep_delay,
       CAST(w.ts AS TIMESTAMP(3)), w.visib, w.wind_speed
FROM flights AS f
LEFT JOIN weather AS w
  ON f.origin = w.origin
  AND w.ts BETWEEN f.ts - INTERVAL '1' HOUR AND f.ts
  AND w.visib < 3;
