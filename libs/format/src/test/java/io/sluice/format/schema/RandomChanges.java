package io.sluice.format.schema;

import io.sluice.format.row.TestValues;
import io.sluice.format.schema.DataType.ArrayType;
import io.sluice.format.schema.DataType.MapType;
import io.sluice.format.schema.DataType.RowType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Changes of schemas drawn at random, most of them allowed; for tests. */
public final class RandomChanges {
  private RandomChanges() {}

  /** Every path of a column or field with its id, and of elements, keys and values with 0. */
  public static Map<List<String>, Integer> paths(TableSchema schema) {
    Map<List<String>, Integer> paths = new LinkedHashMap<>();
    for (Column column : schema.columns()) {
      paths.put(List.of(column.name()), column.id());
      collect(List.of(column.name()), column.type(), paths);
    }
    return paths;
  }

  private static void collect(List<String> path, DataType type, Map<List<String>, Integer> paths) {
    if (type instanceof ArrayType array) {
      inner(path, "element", 0, array.element(), paths);
    } else if (type instanceof MapType map) {
      inner(path, "key", 0, map.key(), paths);
      inner(path, "value", 0, map.value(), paths);
    } else if (type instanceof RowType row) {
      row.fields().forEach(each -> inner(path, each.name(), each.id(), each.type(), paths));
    }
  }

  private static void inner(
      List<String> parent, String name, int id, DataType type, Map<List<String>, Integer> paths) {
    List<String> path = below(parent, name);
    paths.put(path, id);
    collect(path, type, paths);
  }

  /** The path of a member of what the other names. */
  public static List<String> below(List<String> parent, String name) {
    List<String> path = new ArrayList<>(parent);
    path.add(name);
    return List.copyOf(path);
  }

  /** The type at a path. */
  public static DataType typeAt(TableSchema schema, List<String> path) {
    DataType type = schema.column(path.get(0)).type();
    for (String name : path.subList(1, path.size())) {
      if (type instanceof ArrayType array) {
        type = array.element();
      } else if (type instanceof MapType map) {
        type = name.equals("key") ? map.key() : map.value();
      } else {
        type =
            ((RowType) type)
                .fields().stream()
                    .filter(f -> f.name().equals(name))
                    .findFirst()
                    .orElseThrow()
                    .type();
      }
    }
    return type;
  }

  /** A change that may or may not be allowed. */
  public static SchemaChange change(TableSchema schema, SplittableRandom random) {
    List<List<String>> paths = List.copyOf(paths(schema).keySet());
    List<String> path = paths.get(random.nextInt(paths.size()));
    return switch (random.nextInt(8)) {
      case 0, 1, 2 -> add(schema, path, random);
      case 3 -> new SchemaChange.Drop(path);
      case 4 -> new SchemaChange.Rename(path, name(random));
      case 5 -> new SchemaChange.ChangeType(path, wider(typeAt(schema, path), random));
      case 6 -> new SchemaChange.Move(path, position(path, paths, random));
      default ->
          random.nextBoolean()
              ? new SchemaChange.MakeNullable(path)
              : new SchemaChange.SetComment(path, "about " + path);
    };
  }

  private static SchemaChange add(TableSchema schema, List<String> path, SplittableRandom random) {
    boolean nested = typeAt(schema, path) instanceof RowType;
    DataType type = TestValues.randomType(random, 2);
    boolean withDefault = !nested && !type.isNested() && random.nextInt(3) > 0;
    String text = withDefault ? DefaultValues.text(type, TestValues.random(type, random)) : null;
    boolean nullable = text == null || random.nextBoolean();
    return new SchemaChange.Add(
        nested ? path : List.of(),
        name(random),
        type,
        nullable,
        "",
        text,
        new SchemaChange.Position.First());
  }

  private static SchemaChange.Position position(
      List<String> path, List<List<String>> paths, SplittableRandom random) {
    List<String> other = paths.get(random.nextInt(paths.size()));
    boolean beside = other.size() == path.size() && !other.equals(path);
    return beside
        ? new SchemaChange.Position.After(other.get(other.size() - 1))
        : new SchemaChange.Position.Last();
  }

  private static String name(SplittableRandom random) {
    return "n" + random.nextInt(1000);
  }

  private static DataType wider(DataType type, SplittableRandom random) {
    List<DataType> all = new ArrayList<>();
    for (String text : TestValues.SCALARS) {
      DataType other = DataTypeParser.parse(text);
      if (!other.equals(type) && TypeWidening.allowed(type, other)) {
        all.add(other);
      }
    }
    return all.isEmpty() ? type : all.get(random.nextInt(all.size()));
  }
}
