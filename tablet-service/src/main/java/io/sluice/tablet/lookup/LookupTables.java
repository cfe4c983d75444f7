package io.sluice.tablet.lookup;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.TableSchema;
import io.sluice.tablet.kv.ConvertedValues;
import io.sluice.tablet.kv.KvSchemas;
import io.sluice.tablet.replica.HostedTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one lookup call keeps of the tables it asks about: where their keys are, how their rows are
 * read under other schemas. One owner at a time.
 */
final class LookupTables {
  private static final int MAX_TABLES = 64;

  private final Map<Long, Known> tables = new HashMap<>();

  /** A table as it was described then. */
  private static final class Known {
    private final HostedTable table;
    private final Map<Integer, ConvertedValues> conversions = new HashMap<>();
    private @Nullable KeyRouting keys;
    private @Nullable KeyRouting prefixes;

    Known(HostedTable table) {
      this.table = table;
    }
  }

  private Known known(HostedTable table) {
    Known known = tables.get(table.tableId());
    if (known == null || known.table != table) {
      if (tables.size() >= MAX_TABLES) {
        tables.clear();
      }
      known = new Known(table);
      tables.put(table.tableId(), known);
    }
    return known;
  }

  /** The routing of its keys; UNSUPPORTED for a log table. */
  KeyRouting keys(HostedTable table) {
    Known known = known(table);
    KeyRouting keys = known.keys;
    if (keys == null) {
      keys = KeyRouting.of(table);
      known.keys = keys;
    }
    return keys;
  }

  /** The routing of prefixes of its keys; UNSUPPORTED when it has none. */
  KeyRouting prefixes(HostedTable table) {
    Known known = known(table);
    KeyRouting prefixes = known.prefixes;
    if (prefixes == null) {
      prefixes = KeyRouting.ofPrefixes(table);
      known.prefixes = prefixes;
    }
    return prefixes;
  }

  /**
   * Rows under a schema, whatever schema each was stored under.
   *
   * @param schemaId the schema, 0 = each as it was stored
   * @throws SluiceException LEADER_NOT_READY for a schema that has not arrived here; SCHEMA_CHANGED
   *     for a row under a newer schema that this one cannot show
   */
  List<byte @Nullable []> inSchema(
      int schemaId, HostedTable table, List<byte @Nullable []> values) {
    if (schemaId == 0) {
      return values;
    }
    if (schemaId > table.schema().schemaId()) {
      throw new SluiceException(
          ErrorCode.LEADER_NOT_READY,
          "Schema " + schemaId + " of " + table.path() + " has not arrived at this server yet");
    }
    ConvertedValues conversion =
        known(table)
            .conversions
            .computeIfAbsent(
                schemaId, any -> new ConvertedValues(schemas(table), table.schema(schemaId)));
    List<byte @Nullable []> converted = values;
    for (int i = 0; i < values.size(); i++) {
      byte[] value = values.get(i);
      byte[] shown = value == null ? null : conversion.convert(value);
      if (shown != value) {
        if (converted == values) {
          converted = new ArrayList<>(values);
        }
        converted.set(i, shown);
      }
    }
    return converted;
  }

  private static KvSchemas schemas(HostedTable table) {
    return new KvSchemas() {
      @Override
      public TableSchema current() {
        return table.schema();
      }

      @Override
      public TableSchema schema(int schemaId) {
        return table.schema(schemaId);
      }
    };
  }
}
