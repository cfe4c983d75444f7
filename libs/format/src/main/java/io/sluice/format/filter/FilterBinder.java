package io.sluice.format.filter;

import io.sluice.common.SluiceException;
import io.sluice.format.filter.Condition.And;
import io.sluice.format.filter.Condition.ColumnName;
import io.sluice.format.filter.Condition.Compare;
import io.sluice.format.filter.Condition.Constant;
import io.sluice.format.filter.Condition.In;
import io.sluice.format.filter.Condition.IsNull;
import io.sluice.format.filter.Condition.Like;
import io.sluice.format.filter.Condition.Not;
import io.sluice.format.filter.Condition.Operator;
import io.sluice.format.filter.Condition.Or;
import io.sluice.format.filter.Condition.Truth;
import io.sluice.format.filter.Literal.TruthLiteral;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataType.ArrayType;
import io.sluice.format.schema.DataType.BooleanType;
import io.sluice.format.schema.DataType.CharType;
import io.sluice.format.schema.DataType.MapType;
import io.sluice.format.schema.DataType.RowType;
import io.sluice.format.schema.DataType.StringType;
import io.sluice.format.schema.TableSchema;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the columns of a condition, checks its types and turns each comparison into a set of
 * values. NOT goes down to the tests, where it is the complement of the set: so is NOT of unknown
 * unknown, and only what is true needs to be known. One use.
 */
final class FilterBinder {
  private static final int SHOWN_NAMES = 20;

  private final String text;
  private final TableSchema schema;
  private final List<Column> columns = new ArrayList<>();
  private final List<ColumnTest> tests = new ArrayList<>();

  FilterBinder(String text, TableSchema schema) {
    this.text = text;
    this.schema = schema;
  }

  BoundFilter bind(Condition condition) {
    Branch root = branch(condition, true);
    return new BoundFilter(text, schema, columns, tests, root);
  }

  private Branch branch(Condition condition, boolean wanted) {
    if (condition instanceof Not not) {
      return branch(not.term(), !wanted);
    }
    if (condition instanceof And and) {
      return wanted
          ? Branch.all(branches(and.terms(), true))
          : Branch.any(branches(and.terms(), false));
    }
    if (condition instanceof Or or) {
      return wanted
          ? Branch.any(branches(or.terms(), true))
          : Branch.all(branches(or.terms(), false));
    }
    if (condition instanceof Constant constant) {
      return new Branch.Fixed(constant.value() == wanted);
    }
    if (condition instanceof IsNull isNull) {
      return leaf(new NullTest(field(isNull.column()), wanted));
    }
    if (condition instanceof Like like) {
      return like(like, wanted);
    }
    if (condition instanceof Truth truth) {
      return truth(truth.column(), wanted);
    }
    if (condition instanceof In in) {
      return oneOf(in.column(), Operator.EQUAL, in.literals(), wanted);
    }
    Compare compare = (Compare) condition;
    return oneOf(compare.column(), compare.operator(), List.of(compare.literal()), wanted);
  }

  private List<Branch> branches(List<Condition> terms, boolean wanted) {
    List<Branch> branches = new ArrayList<>(terms.size());
    for (Condition term : terms) {
      branches.add(branch(term, wanted));
    }
    return branches;
  }

  private Branch leaf(ColumnTest test) {
    tests.add(test);
    return new Branch.Leaf(tests.size() - 1);
  }

  private Branch truth(ColumnName name, boolean wanted) {
    ColumnField field = field(name);
    if (!(field.type() instanceof BooleanType)) {
      throw error(
          name.position(),
          "column '"
              + name.text()
              + "' is "
              + field.type()
              + "; only a BOOLEAN column is a condition by itself, compare this one with "
              + (field.type().isNested() ? "IS [NOT] NULL" : LiteralCast.taken(field.type())));
    }
    TruthLiteral literal = new TruthLiteral(wanted, name.position());
    return oneOf(name, Operator.EQUAL, List.of(literal), true);
  }

  private Branch oneOf(ColumnName name, Operator operator, List<Literal> literals, boolean wanted) {
    ColumnField field = field(name);
    requireScalar(name, field);
    if (LiteralCast.isBytes(field.type())) {
      List<Intervals<ByteText>> sets = new ArrayList<>(literals.size());
      for (Literal literal : literals) {
        sets.add(
            fitting(name, field, literal, LiteralCast.bytes(field.type(), literal))
                .intervals(operator));
      }
      Intervals<ByteText> values = Intervals.union(sets);
      return bytes(field, wanted ? values : values.complement());
    }
    List<Intervals<BigInteger>> sets = new ArrayList<>(literals.size());
    for (Literal literal : literals) {
      sets.add(
          fitting(name, field, literal, LiteralCast.number(field.type(), literal))
              .intervals(operator));
    }
    Intervals<BigInteger> values = Intervals.union(sets);
    if (!wanted) {
      values = values.complement();
    }
    return values.isEmpty() ? new Branch.Fixed(false) : leaf(new NumberTest(field, values));
  }

  private Branch bytes(ColumnField field, Intervals<ByteText> values) {
    return values.isEmpty() ? new Branch.Fixed(false) : leaf(new BytesTest(field, values));
  }

  private Branch like(Like like, boolean wanted) {
    ColumnField field = field(like.column());
    if (!(field.type() instanceof StringType || field.type() instanceof CharType)) {
      throw error(
          like.column().position(),
          "column '"
              + like.column().text()
              + "' is "
              + field.type()
              + "; LIKE is for STRING and CHAR");
    }
    LikePattern pattern = new LikePattern(like.pattern());
    Intervals<ByteText> values = pattern.intervals();
    if (values == null) {
      return leaf(new LikeTest(field, pattern, wanted));
    }
    return bytes(field, wanted ? values : values.complement());
  }

  private void requireScalar(ColumnName name, ColumnField field) {
    if (field.type().isNested()) {
      throw error(
          name.position(),
          "column '"
              + name.text()
              + "' is "
              + field.type()
              + ", which has no order; only IS NULL and IS NOT NULL are for it"
              + (field.type() instanceof RowType row
                  ? ", or one of its fields " + names(row)
                  : ""));
    }
  }

  private <T extends Comparable<T>> Point<T> fitting(
      ColumnName name, ColumnField field, Literal literal, @Nullable Point<T> point) {
    if (point == null) {
      throw error(
          literal.position(),
          "column '"
              + name.text()
              + "' is "
              + field.type()
              + " and cannot be compared with "
              + literal.described()
              + "; it takes "
              + LiteralCast.taken(field.type()));
    }
    return point;
  }

  private ColumnField field(ColumnName name) {
    int used = 1;
    String columnName = name.parts().get(0);
    if (name.parts().size() > 1 && schema.hasColumn(name.text())) {
      columnName = name.text();
      used = name.parts().size();
    }
    if (!schema.hasColumn(columnName)) {
      throw error(
          name.position(),
          "column '" + columnName + "' does not exist; the columns are " + columnNames());
    }
    Column column = schema.column(columnName);
    List<String> fields = name.parts().subList(used, name.parts().size());
    DataType type = column.type();
    for (String field : fields) {
      type = inside(name, type, field);
    }
    int index = columns.indexOf(column);
    if (index < 0) {
      index = columns.size();
      columns.add(column);
    }
    return new ColumnField(index, column.id(), fields, column.type(), type);
  }

  private DataType inside(ColumnName name, DataType outer, String field) {
    if (outer instanceof RowType row) {
      for (RowType.Field each : row.fields()) {
        if (each.name().equals(field)) {
          return each.type();
        }
      }
      throw error(
          name.position(),
          "'" + name.text() + "': there is no field '" + field + "'; the fields are " + names(row));
    }
    String reason =
        outer instanceof ArrayType || outer instanceof MapType
            ? "what is inside an ARRAY or MAP cannot be filtered"
            : "it has no fields";
    throw error(
        name.position(),
        "'" + name.text() + "': '" + field + "' is looked for in " + outer + ": " + reason);
  }

  private static String names(RowType row) {
    return String.join(", ", row.fields().stream().map(RowType.Field::name).toList());
  }

  private String columnNames() {
    List<Column> all = schema.columns();
    List<String> names = all.stream().limit(SHOWN_NAMES).map(Column::name).toList();
    return String.join(", ", names) + (all.size() > SHOWN_NAMES ? ", ..." : "");
  }

  private SluiceException error(int position, String what) {
    return FilterTokens.error(text, position, what);
  }
}
