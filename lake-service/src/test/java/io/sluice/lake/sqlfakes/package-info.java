/**
 * A cluster and a lake in memory for tests of the SQL engine; the lake's files are real Parquet.
 */
package io.sluice.lake.sqlfakes;
