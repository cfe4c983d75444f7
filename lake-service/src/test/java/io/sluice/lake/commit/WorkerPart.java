package io.sluice.lake.commit;

import io.sluice.protocol.lake.v1.CommitRoundRequest;
import io.sluice.protocol.lake.v1.DataFile;
import io.sluice.protocol.lake.v1.PrepareRoundResponse;
import io.sluice.protocol.tiering.v1.BucketOffset;
import java.io.IOException;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.TreeMap;
import org.apache.iceberg.ContentFileParser;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.PartitionSpecParser;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.data.parquet.GenericParquetWriter;
import org.apache.iceberg.io.FileAppender;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.parquet.Parquet;

/** What a tiering worker does between preparing a round and committing it. */
public final class WorkerPart {
  private WorkerPart() {}

  /**
   * Writes the files of a round that moves each bucket by its number of rows, one file a bucket.
   */
  public static CommitRoundRequest write(
      PrepareRoundResponse prepared, String roundId, long epoch, Map<Integer, Integer> rows)
      throws IOException {
    Map<Integer, Long> start = new TreeMap<>();
    for (BucketOffset offset : prepared.getOffsetsList()) {
      start.put(offset.getBucket(), offset.getOffset());
    }
    CommitRoundRequest.Builder request =
        CommitRoundRequest.newBuilder()
            .setTableId(prepared.getTable().getTableId())
            .setEpoch(epoch)
            .setFence(prepared.getFence())
            .setRoundId(roundId)
            .addAllStart(prepared.getOffsetsList());
    for (Map.Entry<Integer, Integer> entry : rows.entrySet()) {
      int bucket = entry.getKey();
      long from = start.getOrDefault(bucket, 0L);
      long to = from + entry.getValue();
      request.addEnd(offset(bucket, to));
      if (to > from) {
        request.addFiles(file(prepared, bucket, from, to));
        request.setRows(request.getRows() + to - from);
      }
    }
    return request.build();
  }

  private static BucketOffset offset(int bucket, long offset) {
    return BucketOffset.newBuilder().setBucket(bucket).setOffset(offset).build();
  }

  /** Writes one file of rows whose id is their offset. */
  static DataFile file(PrepareRoundResponse prepared, int bucket, long from, long to)
      throws IOException {
    Schema schema = SchemaParser.fromJson(prepared.getIcebergSchema());
    PartitionSpec spec = PartitionSpecParser.fromJson(schema, prepared.getIcebergSpec());
    String location = prepared.getDataLocation() + "/0-" + bucket + "-" + from + ".parquet";
    Path path = Path.of(location.substring("file://".length()));
    java.nio.file.Files.createDirectories(path.getParent());
    OutputFile out = org.apache.iceberg.Files.localOutput(path.toFile());
    FileAppender<Record> appender =
        Parquet.write(out)
            .schema(schema)
            .createWriterFunc(type -> GenericParquetWriter.create(schema, type))
            .overwrite()
            .build();
    try (appender) {
      for (long offset = from; offset < to; offset++) {
        GenericRecord row = GenericRecord.create(schema);
        row.setField("id", offset);
        row.setField("name", offset % 5 == 0 ? null : "b" + bucket + "-" + offset);
        row.setField("__bucket", bucket);
        row.setField("__offset", offset);
        row.setField("__timestamp", OffsetDateTime.of(2026, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC));
        appender.add(row);
      }
    }
    Metrics metrics = appender.metrics();
    org.apache.iceberg.DataFile file =
        DataFiles.builder(spec)
            .withPath(location)
            .withFormat("parquet")
            .withFileSizeInBytes(appender.length())
            .withMetrics(metrics)
            .withSplitOffsets(appender.splitOffsets())
            .withPartitionPath("__bucket=" + bucket)
            .build();
    return DataFile.newBuilder()
        .setJson(ContentFileParser.toJson(file, spec))
        .setBucket(bucket)
        .setStartOffset(from)
        .setEndOffset(to)
        .build();
  }
}
