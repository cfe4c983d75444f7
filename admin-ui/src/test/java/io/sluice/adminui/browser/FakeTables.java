package io.sluice.adminui.browser;

import io.sluice.adminui.app.FakeService;

/**
 * A partitioned table, and one that merges its rows, as the coordinator answers, for tests of the
 * pages about tables.
 */
final class FakeTables {
  private static final String SUMMARY =
      """
      {"items": [{"tableId": 7, "database": "demo", "table": "sales", "kind": "log", "columnCount": 3,
        "bucketCount": 4, "offlineBuckets": 0, "partitionKeys": ["dt"], "partitionCount": 2,
        "replicationFactor": 1, "comment": "", "createdMs": 1700000000000}],
       "total": 1, "offset": 0, "limit": 50}
      """;
  private static final String TABLE =
      """
      {"tableId": 7, "database": "demo", "table": "sales", "kind": "log", "schemaId": 3,
       "columns": [
         {"id": 1, "name": "id", "type": "BIGINT", "nullable": false, "comment": ""},
         {"id": 2, "name": "dt", "type": "STRING", "nullable": true, "comment": ""},
         {"id": 3, "name": "buyer", "type": "ROW<`name` STRING, `age` INT>", "nullable": true,
          "comment": "who bought"},
         {"id": 6, "name": "tax", "type": "INT", "nullable": true, "comment": "",
          "initialDefault": "19", "writeDefault": "20"}],
       "primaryKey": [], "bucketCount": 2, "bucketKey": ["id"], "partitionKeys": ["dt"],
       "partitionCount": 2, "replicationFactor": 1, "options": {"table.log.ttl": "3d"},
       "comment": "", "createdMs": 1700000000000, "version": 3,
       "buckets": [
         {"partitionId": 8, "bucket": 0, "leader": 1, "leaderAddress": "127.0.0.1:9223",
          "leaderEpoch": 1, "replicas": [1], "isr": [1], "isrVersion": 0,
          "minInsync": 1, "target": []},
         {"partitionId": 9, "bucket": 0, "leader": 1, "leaderAddress": "127.0.0.1:9223",
          "leaderEpoch": 1, "replicas": [1], "isr": [1], "isrVersion": 0,
          "minInsync": 1, "target": []}]}
      """;
  private static final String PARTITIONS =
      """
      {"items": [
         {"partitionId": 8, "name": "dt=2024-01-01", "values": ["2024-01-01"],
          "createdMs": 1700000000000, "bucketCount": 2, "offlineBuckets": 0},
         {"partitionId": 9, "name": "dt=2024-01-02", "values": ["2024-01-02"],
          "createdMs": 1700000000000, "bucketCount": 2, "offlineBuckets": 1}],
       "total": 2, "offset": 0, "limit": 100}
      """;

  private static final String MERGED =
      """
      {"tableId": 9, "database": "demo", "table": "uv_agg", "kind": "primary-key", "schemaId": 1,
       "columns": [
         {"id": 1, "name": "channel", "type": "STRING", "nullable": false, "comment": ""},
         {"id": 2, "name": "uv_bitmap", "type": "BYTES", "nullable": true, "comment": ""},
         {"id": 3, "name": "pv", "type": "BIGINT", "nullable": true, "comment": ""}],
       "primaryKey": ["channel"], "bucketCount": 1, "bucketKey": ["channel"], "partitionKeys": [],
       "partitionCount": 0, "replicationFactor": 1,
       "options": {"table.merge-engine": "aggregation", "fields.uv_bitmap.agg": "rbm32",
         "fields.pv.agg": "sum"},
       "comment": "", "createdMs": 1700000000000, "version": 0,
       "rules": {"mergeEngine": "aggregation", "deleteBehavior": "ignore", "changelogImage": "full",
         "functions": [{"column": "uv_bitmap", "function": "rbm32"},
           {"column": "pv", "function": "sum", "onOverflow": "refuse"}]},
       "buckets": [
         {"partitionId": 0, "bucket": 0, "leader": 1, "leaderAddress": "127.0.0.1:9223",
          "leaderEpoch": 1, "replicas": [1], "isr": [1], "isrVersion": 0,
          "minInsync": 1, "target": []}]}
      """;

  private FakeTables() {}

  /** Makes the service answer with it. */
  static void serve(FakeService service) {
    service.json("GET /api/v1/tables", SUMMARY);
    service.json("GET /api/v1/tables/demo/sales", TABLE);
    service.json("GET /api/v1/tables/demo/sales/partitions", PARTITIONS);
    service.json("GET /api/v1/tables/demo/uv_agg", MERGED);
  }
}
