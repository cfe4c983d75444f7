package io.sluice.format.projection;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.BatchLayout;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.format.batch.RecordBatchMessage;
import io.sluice.format.schema.ArrowSchemas;
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
  private final int storedSchemaId;
  private final int wantedSchemaId;
  private final BatchLayout storedLayout;
  private final BatchLayout wantedLayout;
  private final ProjectionStep[] steps;
  private final int[] requiredNodes;
  private final MetadataColumns metadataColumns;
  private final Schema arrowSchema;
  private final boolean identity;

  private ProjectionPlan(
      TableSchema stored, ColumnSelection wanted, MetadataColumns metadataColumns) {
    Schema wantedArrow = wanted.arrowSchema();
    List<Field> fields = new ArrayList<>(wantedArrow.getFields());
    fields.addAll(metadataColumns.fields());
    this.storedSchemaId = stored.schemaId();
    this.wantedSchemaId = wanted.schema().schemaId();
    this.storedLayout = BatchLayout.of(ArrowSchemas.toArrow(stored));
    this.wantedLayout = BatchLayout.of(wantedArrow);
    ProjectionSteps found = new ProjectionSteps(stored, storedLayout, wanted);
    this.steps = found.find().toArray(new ProjectionStep[0]);
    this.requiredNodes = found.requiredNodes().stream().mapToInt(Integer::intValue).toArray();
    this.metadataColumns = metadataColumns;
    this.arrowSchema = new Schema(fields, wantedArrow.getCustomMetadata());
    this.identity = !metadataColumns.any() && isIdentity(steps, storedLayout.nodeCount());
  }

  /** A plan for all columns of the wanted schema. See the last {@code of}. */
  public static ProjectionPlan of(
      TableSchema stored, TableSchema wanted, MetadataColumns metadataColumns) {
    return of(stored, ColumnSelection.all(wanted), metadataColumns);
  }

  /** A plan for some whole columns of the wanted schema, by id. See the last {@code of}. */
  public static ProjectionPlan of(
      TableSchema stored,
      TableSchema wanted,
      List<Integer> columnIds,
      MetadataColumns metadataColumns) {
    return of(stored, ColumnSelection.ofIds(wanted, columnIds), metadataColumns);
  }

  /**
   * A plan for columns and nested fields. Both are matched by id, so names and order do not matter.
   * A column that the stored schema does not have reads as its initial default, a nested field as
   * NULL; a type that was widened since gives the same values in the wider type.
   *
   * <p>Batches may be stored under a newer schema than the wanted one: what was added there is left
   * out, and what the reader cannot know ends in SCHEMA_CHANGED, here or in {@link #project}; the
   * caller adds where to read on.
   *
   * @param stored schema that the batches were written with
   * @param wanted what readers see
   * @throws SluiceException SCHEMA_CHANGED when a newer stored schema lacks a wanted column or
   *     field, or has it in a wider type; UNSUPPORTED when an older one does not lead to the wanted
   *     one, which no change of a table makes
   */
  public static ProjectionPlan of(
      TableSchema stored, ColumnSelection wanted, MetadataColumns metadataColumns) {
    return new ProjectionPlan(stored, wanted, metadataColumns);
  }

  private static boolean isIdentity(ProjectionStep[] steps, int storedNodes) {
    return steps.length == 1
        && steps[0] instanceof ProjectionStep.Copy copy
        && copy.firstNode() == 0
        && copy.endNode() == storedNodes;
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
   * schema; SCHEMA_CHANGED when it has NULLs in a column that is NOT NULL in the wanted schema.
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
    for (int node : requiredNodes) {
      checkNoNulls(header, message, node);
    }
    for (ProjectionStep step : steps) {
      add(builder, step);
    }
    if (identity) {
      return builder.buildIdentity(metadata.slice());
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

  private void add(ProjectedBatchBuilder builder, ProjectionStep step) {
    if (step instanceof ProjectionStep.Copy copy) {
      builder.addStored(storedLayout, copy.firstNode(), copy.endNode());
    } else if (step instanceof ProjectionStep.Nulls nulls) {
      builder.addNulls(wantedLayout, nulls);
    } else if (step instanceof ProjectionStep.Constant constant) {
      builder.addConstant(constant);
    } else if (step instanceof ProjectionStep.Widen widen) {
      builder.addWidened(storedLayout, widen);
    } else if (step instanceof ProjectionStep.Loosen loosen) {
      builder.addLoosened(storedLayout, loosen);
    }
  }

  private void checkNoNulls(LogBatchHeader header, RecordBatchMessage message, int node) {
    if (message.nodeNullCount(node) > 0) {
      throw new SluiceException(
          ErrorCode.SCHEMA_CHANGED,
          "A column that is NOT NULL in schema "
              + wantedSchemaId
              + " has NULLs under schema "
              + storedSchemaId
              + ", from offset "
              + header.baseOffset()
              + " on; read on with that schema");
    }
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
