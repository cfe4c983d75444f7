package io.sluice.tablet.kv;

import io.sluice.format.merge.MergeRules;
import io.sluice.format.schema.TableSchema;
import java.util.Map;

/**
 * What the rows of a table are at one moment: the schema that new changelog records are written
 * with, and the rules that belong to it. Whoever gives them out gives the same object until they
 * change.
 */
public record KvRules(TableSchema schema, MergeRules merge) {
  /** The rules of a table with these options. */
  public static KvRules of(TableSchema schema, Map<String, String> options) {
    return new KvRules(schema, MergeRules.of(schema, options));
  }
}
