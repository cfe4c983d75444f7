package io.sluice.format.projection;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.BatchLayout;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.format.batch.RecordBatchMessage;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.TableSchema;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * How batches stored under one schema become batches of wanted columns of another. Computed once
 * for each pair and projection; immutable and thread-safe.
 */
public final class ProjectionPlan {
  private static final int ABSENT = -1;

  private final int storedSchemaId;
  private final BatchLayout storedLayout;
  private final BatchLayout wantedLayout;
  private final int[] sources;
  private final MetadataColumns metadataColumns;
  private final Schema arrowSchema;
  private final boolean identity;

  private ProjectionPlan(
      TableSchema stored,
      BatchLayout wantedLayout,
      int[] sources,
      MetadataColumns metadataColumns,
      Schema arrowSchema) {
    this.storedSchemaId = stored.schemaId();
    this.storedLayout = BatchLayout.of(ArrowSchemas.toArrow(stored));
    this.wantedLayout = wantedLayout;
    this.sources = sources;
    this.metadataColumns = metadataColumns;
    this.arrowSchema = arrowSchema;
    this.identity = !metadataColumns.any() && isIdentity(sources, stored.size());
  }

  /** A plan for all columns of the wanted schema. See the other {@code of}. */
  public static ProjectionPlan of(
      TableSchema stored, TableSchema wanted, MetadataColumns metadataColumns) {
    return of(stored, wanted, wanted.columns().stream().map(Column::id).toList(), metadataColumns);
  }

  /**
   * A plan for some columns. A column that the stored schema does not have reads as NULL.
   * COLUMN_NOT_FOUND for an id that the wanted schema does not have; UNSUPPORTED when a column
   * differs in type, or is missing in the stored schema and NOT NULL in the wanted one.
   *
   * @param stored schema that the batches were written with
   * @param wanted schema that readers see
   * @param columnIds columns of the wanted schema in the order wanted; may be empty
   */
  public static ProjectionPlan of(
      TableSchema stored,
      TableSchema wanted,
      List<Integer> columnIds,
      MetadataColumns metadataColumns) {
    Schema wantedArrow = ArrowSchemas.toArrow(wanted, columnIds);
    int[] sources = new int[columnIds.size()];
    for (int i = 0; i < sources.length; i++) {
      sources[i] = source(stored, wanted, columnIds.get(i));
    }
    List<Field> fields = new ArrayList<>(wantedArrow.getFields());
    fields.addAll(metadataColumns.fields());
    return new ProjectionPlan(
        stored,
        BatchLayout.of(wantedArrow),
        sources,
        metadataColumns,
        new Schema(fields, wantedArrow.getCustomMetadata()));
  }

  private static int source(TableSchema stored, TableSchema wanted, int columnId) {
    Column target = find(wanted, columnId);
    for (int i = 0; i < stored.size(); i++) {
      Column column = stored.columns().get(i);
      if (column.id() == columnId) {
        if (!column.type().equals(target.type())) {
          throw new SluiceException(
              ErrorCode.UNSUPPORTED,
              "Column '"
                  + target.name()
                  + "' is "
                  + column.type()
                  + " in schema "
                  + stored.schemaId()
                  + " and cannot be read as "
                  + target.type());
        }
        return i;
      }
    }
    if (!target.nullable()) {
      throw new SluiceException(
          ErrorCode.UNSUPPORTED,
          "Column '" + target.name() + "' is NOT NULL and missing in schema " + stored.schemaId());
    }
    return ABSENT;
  }

  private static Column find(TableSchema schema, int columnId) {
    for (Column column : schema.columns()) {
      if (column.id() == columnId) {
        return column;
      }
    }
    throw new SluiceException(
        ErrorCode.COLUMN_NOT_FOUND,
        "Column id " + columnId + " does not exist in schema " + schema.schemaId());
  }

  private static boolean isIdentity(int[] sources, int storedSize) {
    if (sources.length != storedSize) {
      return false;
    }
    for (int i = 0; i < sources.length; i++) {
      if (sources[i] != i) {
        return false;
      }
    }
    return true;
  }

  /** Whether stored batches are what is wanted, as they are. */
  public boolean identity() {
    return identity;
  }

  /** Schema of what {@link #project} gives, with the metadata columns at the end. */
  public Schema arrowSchema() {
    return arrowSchema;
  }

  /**
   * Plans one stored batch. CORRUPT_BATCH when its metadata or checksums do not fit the stored
   * schema.
   *
   * @param header of the stored batch, stamped by its leader
   * @param changeTypes its change type section, empty when all records are appends; only used for
   *     {@link MetadataColumns#changeType}
   * @param metadata its Arrow message; handed on as it is by an {@link #identity} plan
   * @param checksums its checksum section
   */
  public ProjectedBatch project(
      LogBatchHeader header, ByteBuffer changeTypes, ByteBuffer metadata, ByteBuffer checksums) {
    RecordBatchMessage message = new RecordBatchMessage().read(metadata);
    checkStored(header, message, checksums);
    ByteBuffer crcs = checksums.slice().order(ByteOrder.LITTLE_ENDIAN);
    ProjectedBatchBuilder builder = new ProjectedBatchBuilder(message, header.bodyLength(), crcs);
    if (identity) {
      builder.addStored(storedLayout, 0, storedLayout.columnCount());
      return builder.buildIdentity(metadata.slice());
    }
    for (int i = 0; i < sources.length; i++) {
      if (sources[i] == ABSENT) {
        builder.addNulls(wantedLayout, i);
      } else {
        builder.addStored(storedLayout, sources[i], sources[i] + 1);
      }
    }
    if (metadataColumns.offset()) {
      builder.addOffsets(header.baseOffset());
    }
    if (metadataColumns.timestamp()) {
      builder.addTimestamps(header.appendTimeMs());
    }
    if (metadataColumns.changeType()) {
      builder.addChangeTypes(changeTypes);
    }
    return builder.build();
  }

  private void checkStored(
      LogBatchHeader header, RecordBatchMessage message, ByteBuffer checksums) {
    if (header.schemaId() != storedSchemaId) {
      throw new IllegalArgumentException(
          "Batch has schema " + header.schemaId() + ", the plan reads " + storedSchemaId);
    }
    message.check(storedLayout, header.bodyLength());
    boolean fits =
        message.rows() == header.recordCount()
            && message.bodyLength() == header.bodyLength()
            && checksums.remaining() == 4 * storedLayout.bufferCount();
    if (!fits) {
      throw new SluiceException(
          ErrorCode.CORRUPT_BATCH,
          "Batch is damaged: its metadata says "
              + message.rows()
              + " rows and "
              + message.bodyLength()
              + " body bytes, its header "
              + header.recordCount()
              + " and "
              + header.bodyLength()
              + "; it has "
              + checksums.remaining()
              + " bytes of checksums");
    }
  }
}
