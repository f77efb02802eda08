-- W2, many to many: the bids on an auction in the 20 seconds after it was listed, or listed again. ${DATA} holds
-- L.csv (bids) and R.csv (auctions).
CREATE TABLE bids (
  auction BIGINT, ms BIGINT, price DOUBLE,
  ts AS TO_TIMESTAMP_LTZ(ms, 3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/L.csv', 'format' = 'csv');

CREATE TABLE auctions (
  id BIGINT, ms BIGINT, seller BIGINT,
  ts AS TO_TIMESTAMP_LTZ(ms, 3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/R.csv', 'format' = 'csv');

CREATE TABLE joined (
  auction BIGINT, bid TIMESTAMP_LTZ(3), price DOUBLE, listed TIMESTAMP_LTZ(3), seller BIGINT
) WITH ('connector' = 'blackhole');

INSERT INTO joined
SELECT l.auction, l.ts, l.price, CAST(r.ts AS TIMESTAMP_LTZ(3)), r.seller
FROM bids AS l
JOIN auctions AS r ON l.auction = r.id AND l.ts BETWEEN r.ts AND r.ts + INTERVAL '20' SECOND;
