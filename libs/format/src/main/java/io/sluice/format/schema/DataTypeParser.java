package io.sluice.format.schema;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.DataType.ArrayType;
import io.sluice.format.schema.DataType.BinaryType;
import io.sluice.format.schema.DataType.BooleanType;
import io.sluice.format.schema.DataType.BytesType;
import io.sluice.format.schema.DataType.CharType;
import io.sluice.format.schema.DataType.DateType;
import io.sluice.format.schema.DataType.DecimalType;
import io.sluice.format.schema.DataType.DoubleType;
import io.sluice.format.schema.DataType.FloatType;
import io.sluice.format.schema.DataType.IntegerType;
import io.sluice.format.schema.DataType.MapType;
import io.sluice.format.schema.DataType.RowType;
import io.sluice.format.schema.DataType.StringType;
import io.sluice.format.schema.DataType.TimeType;
import io.sluice.format.schema.DataType.TimestampLtzType;
import io.sluice.format.schema.DataType.TimestampType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Reads the SQL text of a type, in any letter case; {@link DataType#toString()} writes it. Grammar
 * and synonyms: {@code docs/formats/types.md}. Fields of a ROW get id 0: ids are given when the
 * column is added to a table.
 */
public final class DataTypeParser {
  private static final int MAX_TEXT = 100_000;
  private static final int MAX_DEPTH = 32;
  private static final int UNLIMITED = Integer.MAX_VALUE;
  private static final String KNOWN_TYPES =
      "BOOLEAN, TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE, CHAR(n), STRING, DECIMAL(p,s), DATE,"
          + " TIME(p), TIMESTAMP(p), TIMESTAMP_LTZ(p), BINARY(n), BYTES, ARRAY<t>, MAP<k,v>,"
          + " ROW<name t, ...>";

  private final TypeTokens tokens;

  private DataTypeParser(String sql) {
    this.tokens = new TypeTokens(sql);
  }

  /**
   * The type that {@code sql} names, for example {@code DECIMAL(10,2)} or {@code ARRAY<INT>}.
   *
   * @throws SluiceException INVALID_SCHEMA naming the text, the position (from 1) and the known
   *     types
   */
  public static DataType parse(String sql) {
    if (sql.length() > MAX_TEXT) {
      throw new SluiceException(
          ErrorCode.INVALID_SCHEMA,
          "A type text has " + sql.length() + " characters; it may have at most " + MAX_TEXT);
    }
    DataTypeParser parser = new DataTypeParser(sql);
    DataType type = parser.type(1);
    if (parser.tokens.isWord("NOT") || parser.tokens.isWord("NULL")) {
      throw parser.tokens.error("nullability belongs to the column, not to its type");
    }
    if (!parser.tokens.atEnd()) {
      throw parser.tokens.error("nothing may follow the type " + type);
    }
    return type;
  }

  private DataType type(int depth) {
    if (depth > MAX_DEPTH) {
      throw tokens.error("types may be nested at most " + MAX_DEPTH + " deep");
    }
    int at = tokens.position();
    String name = tokens.word();
    if (name == null) {
      throw tokens.error("a type is expected here; known types are " + KNOWN_TYPES);
    }
    try {
      return named(name.toUpperCase(Locale.ROOT), at, depth);
    } catch (SluiceException e) {
      throw tokens.located(e, at);
    }
  }

  private DataType named(String name, int at, int depth) {
    return switch (name) {
      case "BOOLEAN", "BOOL" -> new BooleanType();
      case "TINYINT" -> new IntegerType(8);
      case "SMALLINT" -> new IntegerType(16);
      case "INT", "INTEGER" -> new IntegerType(32);
      case "BIGINT" -> new IntegerType(64);
      case "FLOAT" -> new FloatType();
      case "DOUBLE" -> {
        tokens.takeWord("PRECISION");
        yield new DoubleType();
      }
      case "STRING" -> new StringType();
      case "BYTES" -> new BytesType();
      case "DATE" -> new DateType();
      case "CHAR" -> new CharType(length(1));
      case "BINARY" -> new BinaryType(length(1));
      case "VARCHAR" -> unlimited(name, "STRING", new StringType(), at);
      case "VARBINARY" -> unlimited(name, "BYTES", new BytesType(), at);
      case "DECIMAL", "NUMERIC", "DEC" -> decimal();
      case "TIME" -> new TimeType(length(0));
      case "TIMESTAMP" -> timestamp();
      case "TIMESTAMP_LTZ" -> new TimestampLtzType(length(6));
      case "ARRAY" -> array(depth);
      case "MAP" -> map(depth);
      case "ROW" -> row(depth);
      default ->
          throw tokens.errorAt(at, "'" + name + "' is no type; known types are " + KNOWN_TYPES);
    };
  }

  private int length(int whenAbsent) {
    if (!tokens.take('(')) {
      return whenAbsent;
    }
    int length = tokens.number();
    tokens.expect(')');
    return length;
  }

  private DataType unlimited(String name, String other, DataType type, int at) {
    int length = length(1);
    if (length != UNLIMITED) {
      throw tokens.errorAt(
          at,
          name
              + " has no stored length limit here: use "
              + other
              + " (or "
              + name
              + "("
              + UNLIMITED
              + "), which is the same)");
    }
    return type;
  }

  private DataType decimal() {
    if (!tokens.take('(')) {
      return new DecimalType(10, 0);
    }
    int precision = tokens.number();
    int scale = tokens.take(',') ? tokens.number() : 0;
    tokens.expect(')');
    return new DecimalType(precision, scale);
  }

  private DataType timestamp() {
    int precision = length(6);
    int at = tokens.position();
    if (tokens.takeWord("WITHOUT")) {
      timeZone();
    } else if (tokens.takeWord("WITH")) {
      if (!tokens.takeWord("LOCAL")) {
        throw tokens.errorAt(
            at, "a zone is not stored with each value: use TIMESTAMP_LTZ for instants");
      }
      timeZone();
      return new TimestampLtzType(precision);
    }
    return new TimestampType(precision);
  }

  private void timeZone() {
    tokens.expectWord("TIME");
    tokens.expectWord("ZONE");
  }

  private DataType array(int depth) {
    tokens.expect('<');
    DataType element = type(depth + 1);
    boolean nullable = nullability();
    tokens.expect('>');
    return new ArrayType(element, nullable);
  }

  private DataType map(int depth) {
    tokens.expect('<');
    DataType key = type(depth + 1);
    tokens.takeNotNull();
    tokens.expect(',');
    DataType value = type(depth + 1);
    boolean nullable = nullability();
    tokens.expect('>');
    return new MapType(key, value, nullable);
  }

  private DataType row(int depth) {
    char close = tokens.take('(') ? ')' : '>';
    if (close == '>') {
      tokens.expect('<');
    }
    List<RowType.Field> fields = new ArrayList<>();
    Set<String> names = new HashSet<>();
    do {
      int at = tokens.position();
      String name = tokens.identifier();
      if (!names.add(name)) {
        throw tokens.errorAt(at, "field '" + name + "' is defined twice; names must differ");
      }
      DataType type = type(depth + 1);
      fields.add(new RowType.Field(0, name, type, nullability()));
    } while (tokens.take(','));
    tokens.expect(close);
    return new RowType(fields);
  }

  private boolean nullability() {
    if (tokens.takeNotNull()) {
      return false;
    }
    tokens.takeWord("NULL");
    return true;
  }
}
