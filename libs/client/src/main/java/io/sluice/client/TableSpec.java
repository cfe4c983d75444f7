package io.sluice.client;

import io.sluice.common.TablePath;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataTypeParser;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A table to create.
 *
 * @param path full name
 * @param columns the columns in order
 * @param primaryKey key columns in key order, empty for a log table
 * @param options table options as text
 * @param comment free text
 * @param ignoreIfExists whether an existing table of that name is fine, whatever its columns
 * @param partitionKeys names of the partition columns in order, empty when it is not partitioned
 */
public record TableSpec(
    TablePath path,
    List<ColumnSpec> columns,
    List<String> primaryKey,
    Map<String, String> options,
    String comment,
    boolean ignoreIfExists,
    List<String> partitionKeys) {
  /** Option that sets the number of buckets. */
  public static final String BUCKET_COUNT = "bucket.num";

  /** Option that names the columns, with commas, whose values choose the bucket. */
  public static final String BUCKET_KEY = "bucket.key";

  public TableSpec {
    columns = List.copyOf(columns);
    primaryKey = List.copyOf(primaryKey);
    options = Map.copyOf(options);
    partitionKeys = List.copyOf(partitionKeys);
  }

  /** A table that is not partitioned. */
  public TableSpec(
      TablePath path,
      List<ColumnSpec> columns,
      List<String> primaryKey,
      Map<String, String> options,
      String comment,
      boolean ignoreIfExists) {
    this(path, columns, primaryKey, options, comment, ignoreIfExists, List.of());
  }

  /**
   * One column to create.
   *
   * @param name column name
   * @param type its type
   * @param nullable whether NULL may be stored
   * @param comment free text
   * @param defaultValue canonical text of what a writer that leaves the column out stores, null for
   *     NULL
   */
  public record ColumnSpec(
      String name, DataType type, boolean nullable, String comment, @Nullable String defaultValue) {
    /** A column without a default. */
    public ColumnSpec(String name, DataType type, boolean nullable, String comment) {
      this(name, type, nullable, comment, null);
    }
  }

  /** Starts the specification of {@code database.table}. */
  public static Builder of(String path) {
    return new Builder(TablePath.parse(path));
  }

  /** Collects the parts of a specification. */
  public static final class Builder {
    private final TablePath path;
    private final List<ColumnSpec> columns = new ArrayList<>();
    private final Map<String, String> options = new LinkedHashMap<>();
    private List<String> primaryKey = List.of();
    private List<String> partitionKeys = List.of();
    private String comment = "";
    private boolean ignoreIfExists;

    private Builder(TablePath path) {
      this.path = path;
    }

    /** Adds a column. */
    public Builder column(String name, DataType type, boolean nullable) {
      columns.add(new ColumnSpec(name, type, nullable, ""));
      return this;
    }

    /**
     * Adds a column that stores this default, given as the canonical text of its type, when a
     * writer leaves it out.
     */
    public Builder column(String name, DataType type, boolean nullable, String defaultValue) {
      columns.add(new ColumnSpec(name, type, nullable, "", defaultValue));
      return this;
    }

    /** Adds a column with all its parts. */
    public Builder column(ColumnSpec column) {
      columns.add(column);
      return this;
    }

    /** Adds a nullable column with its type as SQL text. */
    public Builder column(String name, String type) {
      return column(name, DataTypeParser.parse(type), true);
    }

    /** Adds a column that never holds NULL, with its type as SQL text. */
    public Builder requiredColumn(String name, String type) {
      return column(name, DataTypeParser.parse(type), false);
    }

    /** Names the key columns in key order. */
    public Builder primaryKey(String... names) {
      primaryKey = List.of(names);
      return this;
    }

    /** Names the partition columns in order. */
    public Builder partitionedBy(String... names) {
      partitionKeys = List.of(names);
      return this;
    }

    /** Sets a table option. */
    public Builder option(String key, String value) {
      options.put(key, value);
      return this;
    }

    /** Sets the number of buckets. */
    public Builder buckets(int count) {
      return option(BUCKET_COUNT, Integer.toString(count));
    }

    /** Names the columns whose values choose the bucket. */
    public Builder bucketKey(String... names) {
      return option(BUCKET_KEY, String.join(",", names));
    }

    /** Sets the comment. */
    public Builder comment(String text) {
      comment = text;
      return this;
    }

    /** Makes an existing table of that name fine. */
    public Builder ignoreIfExists() {
      ignoreIfExists = true;
      return this;
    }

    /** The specification. */
    public TableSpec build() {
      return new TableSpec(
          path, columns, primaryKey, options, comment, ignoreIfExists, partitionKeys);
    }
  }
}
