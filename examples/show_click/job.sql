-- Which click came of which show? Whatever a page shows is logged with a log_id, and a click with the log_id
-- of what was clicked. Clocks differ and logs are late, so a click may lie up to ten minutes before or after
-- its show. A show without a click is kept, with NULLs.

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
FROM show_log AS s LEFT JOIN click_log AS c
  ON s.log_id = c.log_id
  AND c.click_time BETWEEN s.show_time - INTERVAL '10' MINUTE AND s.show_time + INTERVAL '10' MINUTE;
