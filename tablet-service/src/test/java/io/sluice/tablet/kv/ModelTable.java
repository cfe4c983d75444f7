package io.sluice.tablet.kv;

import io.sluice.format.merge.ChangelogImage;
import io.sluice.format.merge.DeleteBehavior;
import io.sluice.format.merge.MergeEngine;
import io.sluice.format.row.Row;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.TableSchema;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.RoaringBitmap;

/**
 * A table {@code (k INT, id BIGINT, v BIGINT, a STRING, c INT DEFAULT 7, b BYTES)} with key k under
 * one set of rules. The model has integers as they are, the bytes of b as text, and sets of
 * integers as {@link TreeSet}.
 *
 * @param variant chooses the functions of an aggregation table
 */
record ModelTable(
    MergeEngine engine,
    DeleteBehavior deletes,
    ChangelogImage image,
    boolean expires,
    boolean ids,
    int variant) {
  static final int COLUMNS = 6;
  static final int ID = 1;
  static final int VERSION = 2;
  static final int DEFAULT_C = 7;
  static final int KEYS = 60;
  static final long TTL_MS = 1_000;

  /** A value of a bitmap column that is no bitmap. */
  static final String MALFORMED = "malformed";

  private static final List<String> A_FUNCTIONS =
      List.of("listagg", "max", "last_value", "first_value_ignore_nulls");
  private static final List<String> C_FUNCTIONS =
      List.of("product", "min", "last_value_ignore_nulls", "first_value");

  /** Every set of rules that there is, those of aggregation with several sets of functions. */
  static List<ModelTable> all() {
    List<ModelTable> all = new ArrayList<>();
    for (MergeEngine engine : MergeEngine.values()) {
      for (DeleteBehavior deletes : DeleteBehavior.values()) {
        for (ChangelogImage image : ChangelogImage.values()) {
          for (int bits = 0; bits < 4; bits++) {
            addLegal(all, engine, deletes, image, bits);
          }
        }
      }
    }
    return all;
  }

  private static void addLegal(
      List<ModelTable> all,
      MergeEngine engine,
      DeleteBehavior deletes,
      ChangelogImage image,
      int bits) {
    boolean expires = (bits & 1) != 0;
    boolean ids = (bits & 2) != 0;
    boolean aggregates = engine == MergeEngine.AGGREGATION;
    if (aggregates && (ids || image == ChangelogImage.WAL)) {
      return;
    }
    boolean whole = engine == MergeEngine.FIRST_ROW || engine == MergeEngine.VERSIONED;
    if (whole && deletes == DeleteBehavior.ALLOW) {
      return;
    }
    for (int variant = 0; variant < (aggregates ? 4 : 1); variant++) {
      all.add(new ModelTable(engine, deletes, image, expires, ids, variant));
    }
  }

  boolean aggregates() {
    return engine == MergeEngine.AGGREGATION;
  }

  boolean wal() {
    return image == ChangelogImage.WAL;
  }

  boolean takesPartialUpdates() {
    return engine == MergeEngine.LAST_ROW || engine == MergeEngine.AGGREGATION;
  }

  TableSchema schema() {
    return new TableSchema(
        1,
        List.of(
            column(1, "k", "INT", null),
            column(2, "id", "BIGINT", null),
            column(3, "v", "BIGINT", null),
            column(4, "a", "STRING", null),
            column(5, "c", "INT", "" + DEFAULT_C),
            column(6, "b", "BYTES", null)),
        List.of("k"));
  }

  private static Column column(int id, String name, String type, @Nullable String text) {
    return new Column(id, name, DataTypeParser.parse(type), id > 1, "", null, text);
  }

  /** The function of a column of an aggregation table. */
  String function(int column) {
    return switch (column) {
      case ID -> "count";
      case VERSION -> "sum";
      case 3 -> A_FUNCTIONS.get(variant);
      case 4 -> C_FUNCTIONS.get(variant);
      default -> "rbm32";
    };
  }

  Map<String, String> options() {
    Map<String, String> options = new HashMap<>();
    options.put("table.delete.behavior", deletes.name().toLowerCase(java.util.Locale.ROOT));
    options.put("table.changelog.image", image.name().toLowerCase(java.util.Locale.ROOT));
    if (expires) {
      options.put("table.kv.ttl", TTL_MS + " ms");
    }
    if (ids) {
      options.put("auto-increment.fields", "id");
    }
    switch (engine) {
      case LAST_ROW -> {}
      case FIRST_ROW -> options.put("table.merge-engine", "first_row");
      case VERSIONED -> {
        options.put("table.merge-engine", "versioned");
        options.put("table.merge-engine.versioned.ver-column", "v");
      }
      case AGGREGATION -> {
        options.put("table.merge-engine", "aggregation");
        for (int column = 1; column < COLUMNS; column++) {
          String name = schema().columns().get(column).name();
          options.put("fields." + name + ".agg", function(column));
        }
        if (function(4).equals("product")) {
          options.put("fields.c.agg.on-overflow", "saturate");
        }
      }
    }
    return options;
  }

  /** A value that a put gives; few values, so that many puts change nothing. */
  @Nullable Object value(int column, SplittableRandom random) {
    if (column == 0) {
      return random.nextInt(KEYS) - KEYS / 2;
    }
    if (random.nextInt(4) == 0) {
      return null;
    }
    return switch (column) {
      case ID -> (long) random.nextInt(3);
      case VERSION ->
          aggregates() && random.nextInt(2_000) == 0
              ? (Object) (random.nextBoolean() ? Long.MAX_VALUE - 2 : Long.MIN_VALUE + 2)
              : (Object) (long) (random.nextInt(7) - 3);
      case 3 -> "v" + random.nextInt(3);
      // Of a product no 0, which it would stay.
      case 4 -> random.nextInt(5) - (aggregates() && variant == 0 ? 5 : 2);
      default -> aggregates() ? set(random) : "b" + random.nextInt(3);
    };
  }

  private static Object set(SplittableRandom random) {
    if (random.nextInt(2_000) == 0) {
      return MALFORMED;
    }
    TreeSet<Integer> set = new TreeSet<>();
    int count = random.nextInt(4);
    for (int i = 0; i < count; i++) {
      set.add(random.nextInt(random.nextInt(4) == 0 ? 200_000 : 50));
    }
    return set;
  }

  /** A value of the model as rows have it. */
  @Nullable Object toRow(@Nullable Object value, int column) {
    if (value instanceof TreeSet<?> set) {
      RoaringBitmap bitmap = new RoaringBitmap();
      set.forEach(each -> bitmap.add((Integer) each));
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try {
        bitmap.serialize(new DataOutputStream(bytes));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return bytes.toByteArray();
    }
    return column == 5 && value != null ? value.toString().getBytes(StandardCharsets.UTF_8) : value;
  }

  /** A row of the table as the model shows it. */
  String show(Row row) {
    List<@Nullable Object> values = new ArrayList<>(COLUMNS);
    for (int column = 0; column < COLUMNS; column++) {
      values.add(row.isNull(column) ? null : fromRow(row, column));
    }
    return values.toString();
  }

  private Object fromRow(Row row, int column) {
    return switch (column) {
      case 0, 4 -> row.getInt(column);
      case ID, VERSION -> row.getLong(column);
      case 3 -> row.getString(column);
      default -> aggregates() ? set(row.getBytes(column)) : text(row.getBytes(column));
    };
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static TreeSet<Integer> set(byte[] bytes) {
    RoaringBitmap bitmap = new RoaringBitmap();
    try {
      bitmap.deserialize(new DataInputStream(new ByteArrayInputStream(bytes)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    TreeSet<Integer> set = new TreeSet<>();
    bitmap.forEach((int each) -> set.add(each));
    return set;
  }
}
