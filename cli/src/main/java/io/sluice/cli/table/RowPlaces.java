package io.sluice.cli.table;

import io.sluice.client.PartitionDescription;
import io.sluice.client.ScanBatch;
import io.sluice.client.TableDescription;
import io.sluice.format.projection.MetadataColumns;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;

/** Where rows lie, as columns before their own: partition, bucket and offset, or none of them. */
final class RowPlaces {
  static final String PARTITION = "_partition";
  private static final String BUCKET = "_bucket";

  private final List<String> names;
  private final Map<Long, String> partitions = new HashMap<>();

  private RowPlaces(List<String> names) {
    this.names = names;
  }

  /** No such columns. */
  static RowPlaces none() {
    return new RowPlaces(List.of());
  }

  /** For a scan with the offset column. */
  static RowPlaces of(TableDescription table) {
    RowPlaces places =
        new RowPlaces(
            table.partitioned()
                ? List.of(PARTITION, BUCKET, MetadataColumns.OFFSET)
                : List.of(BUCKET, MetadataColumns.OFFSET));
    for (PartitionDescription each : table.partitions()) {
      places.partitions.put(each.partitionId(), each.name());
    }
    return places;
  }

  /** Names of the columns. */
  List<String> names() {
    return names;
  }

  /** The columns' values for a row. A partition that is newer than the scan is shown by its id. */
  Map<String, Object> of(ScanBatch batch, int row) {
    Map<String, Object> values = new LinkedHashMap<>();
    if (names.contains(PARTITION)) {
      long id = batch.tableBucket().partitionId();
      values.put(PARTITION, partitions.getOrDefault(id, Long.toString(id)));
    }
    if (names.contains(BUCKET)) {
      values.put(BUCKET, batch.bucket());
      BigIntVector offsets = (BigIntVector) batch.vectors().getVector(MetadataColumns.OFFSET);
      values.put(MetadataColumns.OFFSET, offsets.get(row));
    }
    return values;
  }

  /** The other columns of the batch. */
  List<FieldVector> columns(ScanBatch batch) {
    return batch.vectors().getFieldVectors().stream()
        .filter(vector -> !names.contains(vector.getName()))
        .toList();
  }
}
