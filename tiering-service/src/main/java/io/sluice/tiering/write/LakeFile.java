package io.sluice.tiering.write;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.DataType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.ContentFileParser;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FieldMetrics;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.MetricsConfig;
import org.apache.iceberg.PartitionData;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.parquet.ParquetUtil;
import org.apache.parquet.bytes.HeapByteBufferAllocator;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnWriteStore;
import org.apache.parquet.column.ColumnWriter;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.hadoop.ColumnChunkPageWriteStore;
import org.apache.parquet.hadoop.ParquetFileWriter;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.jspecify.annotations.Nullable;

/**
 * One Parquet file in the making: the rows of one bucket from an offset on. It is written under a
 * hidden name, forced and renamed by {@link #finish}. For one thread.
 */
final class LakeFile implements AutoCloseable {
  private static final String SCHEMA_KEY = "iceberg.schema";

  /** Rows that are copied column by column before page sizes are looked at. */
  private static final int MAX_CHUNK_ROWS = 1024;

  /** Bytes of such a chunk, as far as the batch's average row tells. */
  private static final int CHUNK_BYTES = 1 << 20;

  private static final ParquetProperties PROPERTIES =
      ParquetProperties.builder()
          .withPageWriteChecksumEnabled(true)
          // Every offset is another one.
          .withDictionaryEncoding(LakeTarget.OFFSET, false)
          .build();

  private final LakeTarget target;
  private final WriteSettings settings;
  private final ZstdPages compressor;
  private final Path directory;
  private final Path hidden;
  private final String name;
  private final String location;
  private final int bucket;
  private final long startOffset;
  private final ParquetFileWriter file;
  private final List<Column> columns = new ArrayList<>();
  private @Nullable ColumnWriteStore store;
  private @Nullable ColumnChunkPageWriteStore pages;
  private long endOffset;
  private long groupRows;
  private boolean closed;

  /** A column of the file; its writer changes with every row group. */
  private static final class Column {
    final LakeTarget.Source source;
    final ColumnDescriptor descriptor;
    final @Nullable ColumnCopier copier;
    @Nullable ColumnWriter writer;

    Column(LakeTarget.Source source, ColumnDescriptor descriptor) {
      this.source = source;
      this.descriptor = descriptor;
      this.copier = source.isBucket() ? null : ColumnCopiers.create(source.field(), source.type());
    }

    ColumnWriter writer() {
      return Objects.requireNonNull(writer, "No row group is open");
    }
  }

  /**
   * Begins a file.
   *
   * @param directory where it goes, must exist
   * @param location the directory's URI
   * @param bucket whose rows it gets
   * @param startOffset offset of the first row
   */
  LakeFile(
      LakeTarget target,
      WriteSettings settings,
      ZstdPages compressor,
      Path directory,
      String location,
      int bucket,
      long startOffset)
      throws IOException {
    this.target = target;
    this.settings = settings;
    this.compressor = compressor;
    this.directory = directory;
    // Tables have no partitions yet: 0 stands for none.
    this.name = "0-" + bucket + "-" + startOffset + ".parquet";
    this.hidden = directory.resolve("." + name + ".tmp");
    this.location = location + "/" + name;
    this.bucket = bucket;
    this.startOffset = startOffset;
    this.endOffset = startOffset;
    for (int i = 0; i < target.sources().size(); i++) {
      columns.add(new Column(target.sources().get(i), target.parquet().getColumns().get(i)));
    }
    this.file =
        new ParquetFileWriter(
            new DurableOutputFile(hidden),
            target.parquet(),
            ParquetFileWriter.Mode.CREATE,
            settings.rowGroupBytes(),
            0,
            ParquetProperties.DEFAULT_COLUMN_INDEX_TRUNCATE_LENGTH,
            ParquetProperties.DEFAULT_STATISTICS_TRUNCATE_LENGTH,
            true);
    file.start();
  }

  /** Writes all rows of a batch, whose first offset is where this file ends. */
  void write(VectorSchemaRoot batch) throws IOException {
    int rows = batch.getRowCount();
    int chunk = chunkRows(batch, rows);
    for (int from = 0; from < rows; from += chunk) {
      int to = Math.min(rows, from + chunk);
      ColumnWriteStore group = openGroup();
      for (Column column : columns) {
        copy(batch, column, from, to);
      }
      for (int row = from; row < to; row++) {
        group.endRecord();
      }
      groupRows += to - from;
      endOffset += to - from;
      if (group.getBufferedSize() >= settings.rowGroupBytes()) {
        flushGroup();
      }
    }
  }

  private static int chunkRows(VectorSchemaRoot batch, int rows) {
    long bytes = 0;
    for (FieldVector vector : batch.getFieldVectors()) {
      bytes += vector.getBufferSize();
    }
    long rowBytes = Math.max(1, bytes / Math.max(1, rows));
    return (int) Math.max(1, Math.min(MAX_CHUNK_ROWS, CHUNK_BYTES / rowBytes));
  }

  private void copy(VectorSchemaRoot batch, Column column, int from, int to) {
    ColumnWriter writer = column.writer();
    if (column.copier == null) {
      int present = column.source.field().isOptional() ? 1 : 0;
      for (int row = from; row < to; row++) {
        writer.write(bucket, 0, present);
      }
      return;
    }
    try {
      column.copier.copy(batch.getVector(column.source.vector()), from, to, writer);
    } catch (ValueOutOfRangeException e) {
      throw refused(column, e, from);
    }
  }

  private SluiceException refused(Column column, ValueOutOfRangeException e, int from) {
    // endOffset is the offset of the chunk's first row.
    long offset = endOffset + e.row() - from;
    DataType type = column.source.type();
    return new SluiceException(
        ErrorCode.INVALID_VALUE,
        "Table "
            + target.path()
            + ", bucket "
            + bucket
            + ", offset "
            + offset
            + ": column '"
            + column.source.field().name()
            + "' "
            + type
            + " has the value "
            + e.value()
            + ", which cannot go to the lake: "
            + e.getMessage(),
        e);
  }

  private ColumnWriteStore openGroup() {
    if (store != null) {
      return store;
    }
    ColumnChunkPageWriteStore newPages =
        new ColumnChunkPageWriteStore(
            compressor,
            target.parquet(),
            HeapByteBufferAllocator.getInstance(),
            ParquetProperties.DEFAULT_COLUMN_INDEX_TRUNCATE_LENGTH,
            true);
    ColumnWriteStore opened = PROPERTIES.newColumnWriteStore(target.parquet(), newPages);
    for (Column column : columns) {
      column.writer = opened.getColumnWriter(column.descriptor);
    }
    pages = newPages;
    store = opened;
    return opened;
  }

  /** Writes out the open row group, if there is one. */
  void flushGroup() throws IOException {
    if (store == null || pages == null) {
      return;
    }
    store.flush();
    file.startBlock(groupRows);
    pages.flushToFileWriter(file);
    file.endBlock();
    closeGroup();
  }

  private void closeGroup() {
    if (store != null) {
      store.close();
      store = null;
    }
    if (pages != null) {
      pages.close();
      pages = null;
    }
    groupRows = 0;
  }

  /** Encoded bytes that wait in memory. */
  long bufferedBytes() {
    return store == null ? 0 : store.getBufferedSize();
  }

  /** Size if it ended now, without what the last pages gain by compression. */
  long sizeBytes() throws IOException {
    return file.getPos() + bufferedBytes();
  }

  int bucket() {
    return bucket;
  }

  /** Offset after the last row. */
  long endOffset() {
    return endOffset;
  }

  /** The name in its directory once it is finished. */
  Path path() {
    return directory.resolve(name);
  }

  /** Ends the file: its bytes are durable and it has its name; the directory is not yet forced. */
  WrittenFile finish() throws IOException {
    flushGroup();
    file.end(Map.of(SCHEMA_KEY, SchemaParser.toJson(target.schema())));
    long bytes = file.getPos();
    ParquetMetadata footer = file.getFooter();
    file.close();
    closed = true;
    Files.move(hidden, path(), StandardCopyOption.ATOMIC_MOVE);
    return new WrittenFile(json(footer, bytes), bucket, startOffset, endOffset, bytes);
  }

  private String json(ParquetMetadata footer, long bytes) {
    List<FieldMetrics<?>> floating = new ArrayList<>();
    for (Column column : columns) {
      FieldMetrics<?> metrics = column.copier == null ? null : column.copier.metrics();
      if (metrics != null) {
        floating.add(metrics);
      }
    }
    Metrics metrics =
        ParquetUtil.footerMetrics(footer, floating.stream(), MetricsConfig.getDefault());
    DataFiles.Builder built =
        DataFiles.builder(target.spec())
            .withPath(location)
            .withFormat(FileFormat.PARQUET)
            .withFileSizeInBytes(bytes)
            .withMetrics(metrics)
            .withSplitOffsets(ParquetUtil.getSplitOffsets(footer));
    if (target.spec().isPartitioned()) {
      PartitionData partition = new PartitionData(target.spec().partitionType());
      for (int i = 0; i < partition.size(); i++) {
        partition.set(i, bucket);
      }
      built.withPartition(partition);
    }
    return ContentFileParser.toJson(built.build(), target.spec());
  }

  /** Gives the file up unless it is finished; nothing of it stays on disk. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    closeGroup();
    try {
      try {
        file.close();
      } finally {
        Files.deleteIfExists(hidden);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
