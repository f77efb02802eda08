-- Which clicks belong to which ad? A click counts if it comes within a minute of the impression; an
-- impression without one is kept, with a NULL.

CREATE TABLE impressions (
  ad_id BIGINT, ts TIMESTAMP(3), campaign STRING,
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'filesystem', 'path' = 'examples/ad_clicks/impressions.csv',
        'format' = 'csv', 'csv.header' = 'true');

CREATE TABLE clicks (
  ad_id BIGINT, ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'filesystem', 'path' = 'examples/ad_clicks/clicks.csv',
        'format' = 'csv', 'csv.header' = 'true');

CREATE TABLE attributed (ad_id BIGINT, campaign STRING, shown TIMESTAMP(3), clicked TIMESTAMP(3))
  WITH ('connector' = 'print');

INSERT INTO attributed
SELECT i.ad_id, i.campaign, i.ts, CAST(c.ts AS TIMESTAMP(3))
FROM impressions AS i LEFT JOIN clicks AS c
  ON i.ad_id = c.ad_id AND c.ts BETWEEN i.ts AND i.ts + INTERVAL '60' SECOND;
