-- What was each order worth? An order is worth its amount at the prices that were quoted around it: from one
-- second before it to ten seconds after. An order without a quotation in that time does not come out.

CREATE TABLE order_log (
  order_id BIGINT, product STRING, amount DECIMAL(6, 2), ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '2' SECOND
) WITH ('connector' = 'filesystem', 'path' = 'examples/order_price/order_log.csv',
        'format' = 'csv', 'csv.header' = 'true');

CREATE TABLE price_log (
  product STRING, price DECIMAL(8, 3), ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '2' SECOND
) WITH ('connector' = 'filesystem', 'path' = 'examples/order_price/price_log.csv',
        'format' = 'csv', 'csv.header' = 'true');

CREATE TABLE order_value (
  order_id BIGINT, product STRING, quoted TIMESTAMP(3), order_value DECIMAL(14, 5)
) WITH ('connector' = 'print');

INSERT INTO order_value
SELECT o.order_id, o.product, CAST(p.ts AS TIMESTAMP(3)), o.amount * p.price
FROM order_log AS o JOIN price_log AS p
  ON o.product = p.product
  AND p.ts BETWEEN o.ts - INTERVAL '1' SECOND AND o.ts + INTERVAL '10' SECOND;
