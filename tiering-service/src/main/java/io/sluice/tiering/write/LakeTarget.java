package io.sluice.tiering.write;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataType.IntegerType;
import io.sluice.format.schema.DataType.TimestampLtzType;
import io.sluice.format.schema.TableSchema;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.PartitionSpecParser;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.parquet.ParquetSchemaUtil;
import org.apache.iceberg.types.Types;
import org.apache.parquet.schema.MessageType;

/**
 * The shape of a lake table's files: its schema, and for each of its columns where the values come
 * from. Batches have the table's columns in their order, then the offset, then the timestamp. The
 * lake's column of a table's column is the one with the same id; the system columns are found by
 * name.
 */
public final class LakeTarget {
  /** System column: the bucket of the row. */
  public static final String BUCKET = "__bucket";

  /** System column: the offset of the row. */
  public static final String OFFSET = "__offset";

  /** System column: when the row was stored. */
  public static final String TIMESTAMP = "__timestamp";

  private static final String PARQUET_NAME = "table";
  private static final DataType OFFSET_TYPE = new IntegerType(64);
  private static final DataType TIMESTAMP_TYPE = new TimestampLtzType(3);

  private final TablePath path;
  private final Schema schema;
  private final PartitionSpec spec;
  private final MessageType parquet;
  private final List<Source> sources;

  /**
   * Where a lake column's values come from.
   *
   * @param field the lake's column
   * @param vector position in the batch, {@link #THE_BUCKET} for the bucket number
   * @param type type in the batch
   */
  record Source(Types.NestedField field, int vector, DataType type) {
    static final int THE_BUCKET = -1;

    boolean isBucket() {
      return vector == THE_BUCKET;
    }
  }

  private LakeTarget(
      TablePath path,
      Schema schema,
      PartitionSpec spec,
      MessageType parquet,
      List<Source> sources) {
    this.path = path;
    this.schema = schema;
    this.spec = spec;
    this.parquet = parquet;
    this.sources = sources;
  }

  /**
   * Matches a table with its lake table.
   *
   * @param icebergSchema the lake table's schema as JSON
   * @param icebergSpec its partition spec as JSON
   * @throws SluiceException INVALID_SCHEMA when a column is missing on one side or the lake's type
   *     would not hold every value, UNSUPPORTED for a partition spec other than none or
   *     identity(__bucket)
   */
  public static LakeTarget of(
      TablePath path, TableSchema table, String icebergSchema, String icebergSpec) {
    Schema schema;
    PartitionSpec spec;
    try {
      schema = SchemaParser.fromJson(icebergSchema);
      spec = PartitionSpecParser.fromJson(schema, icebergSpec);
    } catch (RuntimeException e) {
      throw new SluiceException(
          ErrorCode.INVALID_SCHEMA,
          "The lake's schema or partition spec of " + path + " cannot be read: " + e.getMessage(),
          e);
    }
    checkSpec(path, schema, spec);
    List<Source> sources = sources(path, table, schema);
    MessageType parquet = ParquetSchemaUtil.convert(schema, PARQUET_NAME);
    return new LakeTarget(path, schema, spec, parquet, sources);
  }

  private static void checkSpec(TablePath path, Schema schema, PartitionSpec spec) {
    for (PartitionField field : spec.fields()) {
      boolean bucket = BUCKET.equals(schema.findColumnName(field.sourceId()));
      if (!bucket || !field.transform().isIdentity()) {
        throw new SluiceException(
            ErrorCode.UNSUPPORTED,
            "The lake table of "
                + path
                + " is partitioned by "
                + field.name()
                + "; this worker writes tables without partitions or by identity("
                + BUCKET
                + ")");
      }
    }
  }

  private static List<Source> sources(TablePath path, TableSchema table, Schema schema) {
    Map<Integer, Integer> positions = new HashMap<>();
    for (int i = 0; i < table.size(); i++) {
      positions.put(table.columns().get(i).id(), i);
    }
    List<Source> sources = new ArrayList<>();
    for (Types.NestedField field : schema.columns()) {
      sources.add(source(path, table, positions, field));
    }
    if (!positions.isEmpty()) {
      Column missing = table.columns().get(positions.values().iterator().next());
      throw invalid(path, "lacks the column '" + missing.name() + "', id " + missing.id());
    }
    return sources;
  }

  /** The source of one lake column; takes it out of {@code positions}. */
  private static Source source(
      TablePath path, TableSchema table, Map<Integer, Integer> positions, Types.NestedField field) {
    Source source =
        switch (field.name()) {
          case BUCKET -> new Source(field, Source.THE_BUCKET, new IntegerType(32));
          case OFFSET -> new Source(field, table.size(), OFFSET_TYPE);
          case TIMESTAMP -> new Source(field, table.size() + 1, TIMESTAMP_TYPE);
          default -> {
            Integer position = positions.remove(field.fieldId());
            if (position == null) {
              throw invalid(
                  path,
                  "has the column '"
                      + field.name()
                      + "', id "
                      + field.fieldId()
                      + ", which the table does not have");
            }
            Column column = table.columns().get(position);
            if (column.nullable() && field.isRequired()) {
              throw invalid(path, "does not take NULL in column '" + column.name() + "'");
            }
            yield new Source(field, position, column.type());
          }
        };
    if (ColumnCopiers.create(field, source.type()) == null) {
      throw invalid(
          path,
          "has column '"
              + field.name()
              + "' as "
              + field.type()
              + ", which does not hold every "
              + source.type());
    }
    return source;
  }

  private static SluiceException invalid(TablePath path, String what) {
    return new SluiceException(ErrorCode.INVALID_SCHEMA, "The lake table of " + path + " " + what);
  }

  TablePath path() {
    return path;
  }

  Schema schema() {
    return schema;
  }

  PartitionSpec spec() {
    return spec;
  }

  MessageType parquet() {
    return parquet;
  }

  /** The lake's columns in their order. */
  List<Source> sources() {
    return sources;
  }
}
