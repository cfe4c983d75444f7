package io.sluice.format.projection;

import io.sluice.format.schema.ArrowSchemas;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;

/**
 * Columns that a scan may ask for beyond those of the table. They follow the table's columns, in
 * the order of the components here, and are never NULL.
 *
 * @param offset {@code _offset BIGINT}
 * @param timestamp {@code _timestamp TIMESTAMP_LTZ(3)}, when the leader stored the row
 * @param changeType {@code _change_type STRING}, see {@link
 *     io.sluice.format.batch.ChangeType#shortText}
 */
public record MetadataColumns(boolean offset, boolean timestamp, boolean changeType) {
  /** None of them. */
  public static final MetadataColumns NONE = new MetadataColumns(false, false, false);

  /** Name of the offset column. */
  public static final String OFFSET = "_offset";

  /** Name of the timestamp column. */
  public static final String TIMESTAMP = "_timestamp";

  /** Name of the change type column. */
  public static final String CHANGE_TYPE = "_change_type";

  /** Whether at least one is asked for. */
  public boolean any() {
    return offset || timestamp || changeType;
  }

  /** The Arrow fields of those asked for. */
  List<Field> fields() {
    List<Field> fields = new ArrayList<>(3);
    if (offset) {
      fields.add(field(OFFSET, "BIGINT", new ArrowType.Int(64, true)));
    }
    if (timestamp) {
      fields.add(
          field(
              TIMESTAMP, "TIMESTAMP_LTZ(3)", new ArrowType.Timestamp(TimeUnit.MILLISECOND, "UTC")));
    }
    if (changeType) {
      fields.add(field(CHANGE_TYPE, "STRING", ArrowType.Utf8.INSTANCE));
    }
    return fields;
  }

  private static Field field(String name, String sqlType, ArrowType type) {
    return new Field(
        name, new FieldType(false, type, null, Map.of(ArrowSchemas.TYPE, sqlType)), null);
  }
}
