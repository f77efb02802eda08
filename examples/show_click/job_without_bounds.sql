-- The same question without a limit of time: a click may come of its show however late it is. So a show is
-- printed at once, with NULLs if it has no click yet; its first click takes that row back (-D) and gives the pair.
-- The watermarks bound nothing here. They name the row times by which the two files are read in turn.
--   braid run examples/show_click/job_without_bounds.sql --mode per-record

CREATE TABLE show_log (
  log_id STRING, show_params STRING, show_time TIMESTAMP(3),
  WATERMARK FOR show_time AS show_time - INTERVAL '5' SECOND
) WITH ('connector' = 'filesystem', 'path' = 'examples/show_click/show_log.csv',
        'format' = 'csv', 'csv.header' = 'true');

CREATE TABLE click_log (
  log_id STRING, click_params STRING, click_time TIMESTAMP(3),
  WATERMARK FOR click_time AS click_time - INTERVAL '5' SECOND
) WITH ('connector' = 'filesystem', 'path' = 'examples/show_click/click_log.csv',
        'format' = 'csv', 'csv.header' = 'true');

CREATE TABLE show_with_click (
  log_id STRING, show_params STRING, show_time TIMESTAMP(3),
  click_params STRING, click_time TIMESTAMP(3)
) WITH ('connector' = 'print');

INSERT INTO show_with_click
SELECT s.log_id, s.show_params, s.show_time, c.click_params, CAST(c.click_time AS TIMESTAMP(3))
FROM show_log AS s LEFT JOIN click_log AS c ON s.log_id = c.log_id;
