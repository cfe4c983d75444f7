package io.sluice.client;

import io.sluice.common.Names;
import io.sluice.format.batch.BatchCodec;
import io.sluice.format.batch.CompressionSettings;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one writer does differently from its connection's {@link ClientConfig}; null = as there.
 *
 * @param name name under which a restarted writer goes on exactly once, null for none
 * @param compression codec and level
 * @param batchBytes uncompressed bytes at which a batch is closed
 * @param linger the longest that a batch waits for more rows, see {@link ClientConfig#linger}
 * @param acks when an append counts as done
 * @param columns the columns that an upsert writer writes, empty for all
 * @param bucketing how rows without a bucket key are spread, null for {@link Bucketing#STICKY}
 * @param createPartitions whether partitions that do not exist are created for the rows that belong
 *     to them; else such rows are refused with PARTITION_NOT_FOUND
 */
public record WriterOptions(
    @Nullable String name,
    @Nullable CompressionSettings compression,
    @Nullable Integer batchBytes,
    @Nullable Duration linger,
    @Nullable Acks acks,
    List<String> columns,
    @Nullable Bucketing bucketing,
    boolean createPartitions) {

  public WriterOptions {
    columns = List.copyOf(columns);
    if (name != null) {
      Names.checkWriter(name);
    }
  }

  /** Everything as the connection says. */
  public static WriterOptions defaults() {
    return new WriterOptions(null, null, null, null, null, List.of(), null, true);
  }

  /**
   * A writer with a name; see {@link AppendWriter#append(long, io.sluice.format.row.Row)} and
   * {@link UpsertWriter#upsert(long, io.sluice.format.row.Row)}.
   */
  public static WriterOptions named(String writerName) {
    return new WriterOptions(writerName, null, null, null, null, List.of(), null, true);
  }

  /** A copy with this codec. */
  public WriterOptions codec(BatchCodec codec) {
    return compression(CompressionSettings.of(codec));
  }

  /** A copy with this codec and level. */
  public WriterOptions compression(CompressionSettings settings) {
    return new WriterOptions(
        name, settings, batchBytes, linger, acks, columns, bucketing, createPartitions);
  }

  /** A copy that closes batches at this many uncompressed bytes. */
  public WriterOptions batchBytes(int bytes) {
    return new WriterOptions(
        name, compression, bytes, linger, acks, columns, bucketing, createPartitions);
  }

  /** A copy with this linger. */
  public WriterOptions linger(Duration duration) {
    return new WriterOptions(
        name, compression, batchBytes, duration, acks, columns, bucketing, createPartitions);
  }

  /** A copy with these acks. */
  public WriterOptions acks(Acks newAcks) {
    return new WriterOptions(
        name, compression, batchBytes, linger, newAcks, columns, bucketing, createPartitions);
  }

  /**
   * A copy for partial updates: rows have these columns, in this order, and leave the others as
   * they are. The key columns must be among them. For upsert writers only.
   */
  public WriterOptions partial(String... names) {
    return new WriterOptions(
        name, compression, batchBytes, linger, acks, List.of(names), bucketing, createPartitions);
  }

  /** A copy with this way to spread rows; for tables without a bucket key. */
  public WriterOptions bucketing(Bucketing newBucketing) {
    return new WriterOptions(
        name, compression, batchBytes, linger, acks, columns, newBucketing, createPartitions);
  }

  /** A copy that creates missing partitions, or does not. */
  public WriterOptions createPartitions(boolean create) {
    return new WriterOptions(
        name, compression, batchBytes, linger, acks, columns, bucketing, create);
  }

  /** The connection's settings with this writer's in their place, checked like them. */
  public ClientConfig applyTo(ClientConfig config) {
    ClientConfig applied = compression == null ? config : config.withCompression(compression);
    applied = batchBytes == null ? applied : applied.withBatchBytes(batchBytes);
    applied = linger == null ? applied : applied.withLinger(linger);
    return acks == null ? applied : applied.withAcks(acks);
  }
}
