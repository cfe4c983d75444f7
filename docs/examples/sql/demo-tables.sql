-- The two tables of ./sluice demo. By hand: ./sluice sql -f docs/examples/sql/demo-tables.sql
CREATE DATABASE IF NOT EXISTS demo;

CREATE TABLE demo.flights (
  `date`      TIMESTAMP(6) NOT NULL,
  delay       BIGINT NOT NULL,
  distance    BIGINT NOT NULL,
  origin      STRING NOT NULL,
  destination STRING NOT NULL
) COMMENT 'Flights of the demo; dropped when the demo runs again'
WITH (
  'bucket.num' = '4',
  'table.datalake.enabled' = 'true',
  'table.datalake.freshness' = '10s'
);

CREATE TABLE demo.airports (
  iata      STRING NOT NULL,
  name      STRING,
  city      STRING,
  state     STRING,
  country   STRING,
  latitude  DOUBLE,
  longitude DOUBLE,
  PRIMARY KEY (iata) NOT ENFORCED
) COMMENT 'Airports of the demo; dropped when the demo runs again'
WITH ('bucket.num' = '2');
