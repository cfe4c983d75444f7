package io.sluice.format.schema;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import org.apache.arrow.vector.BitVectorHelper;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryEncoder;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.Field;
import org.jspecify.annotations.Nullable;

/**
 * Copies vectors of a foreign Arrow field into vectors of a table column, as long as nothing is
 * lost: integers of any width and sign when every value fits, floats when exact, large, view and
 * dictionary text and binary, times and timestamps of another unit and decimals of another scale
 * when exact, date64 when at midnight, the null type into nullable columns. A timestamp with any
 * zone is an instant and fits TIMESTAMP_LTZ only, one without fits TIMESTAMP only.
 *
 * <p>It also checks what the type of a foreign vector does not say: NOT NULL, the length of CHAR
 * and BINARY, the digits of DECIMAL, of times and of timestamps, and that text is UTF-8.
 */
public abstract class SafeCast {
  final CastContext context;

  SafeCast(CastContext context) {
    this.context = context;
  }

  /** As {@link #of(Field, Column, DictionaryProvider)}, for streams without dictionaries. */
  public static SafeCast of(Field source, Column column) {
    return plain(new CastContext(column, source), source);
  }

  /**
   * The cast from a field to a column; names are not compared.
   *
   * @param source the field as it is in memory: of index type where dictionary-encoded
   * @param dictionaries where dictionary-encoded fields find their values
   * @throws SluiceException INVALID_SCHEMA naming both types and a way out when no value could be
   *     cast without loss
   */
  public static SafeCast of(Field source, Column column, DictionaryProvider dictionaries) {
    DictionaryEncoding encoding = source.getDictionary();
    if (encoding == null) {
      return of(source, column);
    }
    Dictionary dictionary = dictionaries.lookup(encoding.getId());
    if (dictionary == null) {
      throw new SluiceException(
          ErrorCode.INVALID_SCHEMA,
          "Field '"
              + source.getName()
              + "' uses dictionary "
              + encoding.getId()
              + ", which the stream has not sent");
    }
    Field values = dictionary.getVector().getField();
    CastContext context = new CastContext(column, values);
    return new DictionaryCast(context, plain(context, values), dictionaries, encoding.getId());
  }

  private static SafeCast plain(CastContext context, Field source) {
    if (source.getDictionary() != null) {
      throw context.impossible("decode the dictionary before the upload");
    }
    if (source.getType() instanceof ArrowType.Null) {
      return new NullCast(context);
    }
    return SafeCasts.of(context);
  }

  /**
   * Overwrites {@code target} with all values of {@code source}; the target is allocated here and
   * gets the source's length.
   *
   * @param firstRow number of the first row in messages
   * @throws SluiceException INVALID_VALUE naming column, row, value, type and way out; the target
   *     is then undefined but may be used again
   */
  public final void copy(FieldVector source, FieldVector target, long firstRow) {
    if (!target.getField().getType().equals(ArrowSchemas.arrowType(context.column().type()))) {
      throw new SluiceException(
          ErrorCode.INTERNAL,
          "Target vector of column '"
              + context.column().name()
              + "' has Arrow type "
              + target.getField().getType());
    }
    if (!context.column().nullable() && source.getNullCount() > 0) {
      throw context.nullRefused(firstRow + firstNull(source));
    }
    copyValues(source, target, source.getValueCount(), firstRow);
  }

  private static int firstNull(FieldVector source) {
    int row = 0;
    while (row < source.getValueCount() - 1 && !source.isNull(row)) {
      row++;
    }
    return row;
  }

  /** Does the work of {@link #copy}; nulls are allowed when this is called with some. */
  abstract void copyValues(FieldVector source, FieldVector target, int rows, long firstRow);

  /** Gives an allocated target the validity of the source. */
  static void copyValidity(FieldVector source, FieldVector target, int rows) {
    if (rows == 0) {
      return;
    }
    long bytes = (rows + 7L) >>> 3;
    if (source.getNullCount() == 0) {
      target.getValidityBuffer().setOne(0, bytes - 1);
      for (int row = (int) (bytes - 1) * 8; row < rows; row++) {
        BitVectorHelper.setBit(target.getValidityBuffer(), row);
      }
      return;
    }
    for (int row = 0; row < rows; row++) {
      if (!source.isNull(row)) {
        BitVectorHelper.setBit(target.getValidityBuffer(), row);
      }
    }
  }

  /** The null type: NULL in every row. */
  private static final class NullCast extends SafeCast {
    NullCast(CastContext context) {
      super(context);
    }

    @Override
    void copyValues(FieldVector source, FieldVector target, int rows, long firstRow) {
      if (rows > 0 && !context.column().nullable()) {
        throw context.nullRefused(firstRow);
      }
      target.setInitialCapacity(rows);
      target.allocateNew();
      for (int row = 0; row < rows; row++) {
        target.setNull(row);
      }
      target.setValueCount(rows);
    }
  }

  /** Looks the values up in the stream's dictionary, which may have been replaced meanwhile. */
  private static final class DictionaryCast extends SafeCast {
    private final SafeCast values;
    private final DictionaryProvider dictionaries;
    private final long id;

    DictionaryCast(CastContext context, SafeCast values, DictionaryProvider dictionaries, long id) {
      super(context);
      this.values = values;
      this.dictionaries = dictionaries;
      this.id = id;
    }

    @Override
    void copyValues(FieldVector source, FieldVector target, int rows, long firstRow) {
      @Nullable Dictionary dictionary = dictionaries.lookup(id);
      if (dictionary == null) {
        throw context.corrupt(firstRow, "dictionary " + id + " is missing");
      }
      try (FieldVector decoded = decode(source, dictionary, firstRow)) {
        values.copy(decoded, target, firstRow);
      }
    }

    private FieldVector decode(FieldVector source, Dictionary dictionary, long firstRow) {
      try {
        return (FieldVector) DictionaryEncoder.decode(source, dictionary);
      } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
        throw new SluiceException(
            ErrorCode.CORRUPT_BATCH,
            "Column '"
                + context.column().name()
                + "' has an index outside of its dictionary after row "
                + firstRow,
            e);
      }
    }
  }
}
