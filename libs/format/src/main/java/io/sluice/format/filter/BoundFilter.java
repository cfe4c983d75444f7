package io.sluice.format.filter;

import io.sluice.format.batch.BatchStatistics;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.FieldVector;
import org.jspecify.annotations.Nullable;

/**
 * A condition over the columns of one schema. Rows for which SQL says unknown do not fulfil it.
 * Immutable and thread-safe.
 */
public final class BoundFilter {
  private final String text;
  private final TableSchema schema;
  private final List<Column> columns;
  private final List<ColumnTest> tests;
  private final Branch root;

  /** Numbers of the tests of each column, by its id; nested fields have no statistics. */
  private final Map<Integer, List<Integer>> testsOfColumn = new HashMap<>();

  BoundFilter(
      String text, TableSchema schema, List<Column> columns, List<ColumnTest> tests, Branch root) {
    this.text = text;
    this.schema = schema;
    this.columns = List.copyOf(columns);
    this.tests = List.copyOf(tests);
    this.root = root;
    for (int i = 0; i < tests.size(); i++) {
      ColumnField field = tests.get(i).field();
      if (!field.isNested()) {
        testsOfColumn.computeIfAbsent(field.columnId(), any -> new ArrayList<>()).add(i);
      }
    }
  }

  /** Ids of the columns that {@link #select} needs, in the order in which it needs them. */
  public List<Integer> columnIds() {
    return columns.stream().map(Column::id).toList();
  }

  /** Whether every row of every table fulfils it, as {@code TRUE}. */
  public boolean isAlwaysTrue() {
    return root.equals(new Branch.Fixed(true));
  }

  /**
   * Whether a row of the batch may fulfil it. False only when none does; what is not known rules
   * nothing out. A column that the batch was stored without has its initial default in every row.
   *
   * @param statistics of the batch, at its beginning; left at its end
   * @param rows rows of the batch
   * @param stored schema that the batch was stored with
   */
  public boolean mayMatch(BatchStatistics statistics, int rows, TableSchema stored) {
    boolean[] may = new boolean[tests.size()];
    for (int i = 0; i < may.length; i++) {
      may[i] = mayMatchUnseen(tests.get(i), stored);
    }
    while (statistics.next()) {
      List<Integer> known = testsOfColumn.get(statistics.columnId());
      DataType type = known == null ? null : storedType(stored, statistics.columnId());
      if (known == null || type == null) {
        continue;
      }
      for (int test : known) {
        may[test] = tests.get(test).mayMatch(statistics, rows, type);
      }
    }
    return root.holds(may);
  }

  /** What holds without statistics. */
  private boolean mayMatchUnseen(ColumnTest test, TableSchema stored) {
    Column column = columns.get(test.field().index());
    if (stored.schemaId() >= schema.schemaId() || storedType(stored, column.id()) != null) {
      return true;
    }
    return test.isTrueFor(test.field().isNested() ? null : column.initialDefault());
  }

  private static @Nullable DataType storedType(TableSchema stored, int columnId) {
    for (Column column : stored.columns()) {
      if (column.id() == columnId) {
        return column.type();
      }
    }
    return null;
  }

  /**
   * Whether a row of the partition may fulfil it.
   *
   * @param keys names of the partition columns
   * @param values canonical texts of their values, in the same order
   */
  public boolean mayMatchPartition(List<String> keys, List<String> values) {
    boolean[] may = new boolean[tests.size()];
    for (int i = 0; i < may.length; i++) {
      ColumnField field = tests.get(i).field();
      int key = field.isNested() ? -1 : keys.indexOf(columns.get(field.index()).name());
      may[i] = key < 0 || tests.get(i).isTrueFor(values.get(key));
    }
    return root.holds(may);
  }

  /**
   * Chooses the rows that fulfil it.
   *
   * @param vectors the columns of {@link #columnIds}, in that order, in the types of the schema
   * @param rows rows of the batch
   * @param selection receives the choice
   */
  public void select(List<FieldVector> vectors, int rows, Selection selection) {
    select(root, vectors, rows, selection.reset(rows).words());
  }

  private void select(Branch branch, List<FieldVector> vectors, int rows, long[] words) {
    if (branch instanceof Branch.Fixed fixed) {
      if (fixed.value()) {
        SelectionBits.fill(rows, words);
      } else {
        Arrays.fill(words, 0, SelectionBits.words(rows), 0);
      }
    } else if (branch instanceof Branch.Leaf leaf) {
      ColumnTest test = tests.get(leaf.test());
      test.select(vectors.get(test.field().index()), rows, words);
    } else if (branch instanceof Branch.All all) {
      combine(all.terms(), true, vectors, rows, words);
    } else if (branch instanceof Branch.Any any) {
      combine(any.terms(), false, vectors, rows, words);
    }
  }

  private void combine(
      List<Branch> terms, boolean all, List<FieldVector> vectors, int rows, long[] words) {
    select(terms.get(0), vectors, rows, words);
    int count = SelectionBits.words(rows);
    long[] more = new long[count];
    for (int i = 1; i < terms.size(); i++) {
      if (all && SelectionBits.isEmpty(rows, words)) {
        return;
      }
      select(terms.get(i), vectors, rows, more);
      for (int word = 0; word < count; word++) {
        words[word] = all ? words[word] & more[word] : words[word] | more[word];
      }
    }
  }

  /** The text it was read from. */
  public String text() {
    return text;
  }

  @Override
  public String toString() {
    return text;
  }
}
