package io.sluice.tablet.flight;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.vector.types.Types;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Reads the Arrow messages of a plain upload as far as this is Arrow's own format. The generated
 * flatbuffer classes check nothing, so whatever they trip over is an error of the upload.
 */
final class UploadSchema {
  private static final int MAX_FIELDS = 20_000;
  private static final int MAX_DEPTH = 32;

  /** What a message holds. */
  enum Kind {
    SCHEMA,
    DICTIONARY,
    RECORDS
  }

  private UploadSchema() {}

  /** The kind of the message; INVALID_ARGUMENT when it is no Arrow message. */
  static Kind kind(ByteBuffer header) {
    byte type;
    try {
      type = message(header).headerType();
    } catch (RuntimeException e) {
      throw damaged(e.toString(), e);
    }
    return switch (type) {
      case MessageHeader.Schema -> Kind.SCHEMA;
      case MessageHeader.DictionaryBatch -> Kind.DICTIONARY;
      case MessageHeader.RecordBatch -> Kind.RECORDS;
      default -> throw damaged("its type is " + type, null);
    };
  }

  /** The schema in the message; INVALID_SCHEMA when it cannot be read. */
  static Schema parse(ByteBuffer header) {
    try {
      org.apache.arrow.flatbuf.Schema schema =
          (org.apache.arrow.flatbuf.Schema)
              message(header).header(new org.apache.arrow.flatbuf.Schema());
      if (schema == null) {
        throw unreadable("it has no header", null);
      }
      // A small flatbuffer can name the same field over and over: count before building anything.
      int fields = 0;
      for (int i = 0; i < schema.fieldsLength(); i++) {
        fields = count(schema.fields(i), fields, 1);
      }
      Schema converted = Schema.convertSchema(schema);
      converted.getFields().forEach(UploadSchema::requireVector);
      return converted;
    } catch (SluiceException e) {
      throw e;
    } catch (RuntimeException e) {
      throw unreadable(e.toString(), e);
    }
  }

  private static int count(Field field, int before, int depth) {
    if (before >= MAX_FIELDS || depth > MAX_DEPTH) {
      throw unreadable(
          "it has more than " + MAX_FIELDS + " fields, or fields nested deeper than " + MAX_DEPTH,
          null);
    }
    int fields = before + 1;
    for (int i = 0; i < field.childrenLength(); i++) {
      fields = count(field.children(i), fields, depth + 1);
    }
    return fields;
  }

  /** Throws when Arrow has no vector for the field, as for integers of no width. */
  private static void requireVector(org.apache.arrow.vector.types.pojo.Field field) {
    Types.getMinorTypeForArrowType(field.getType());
    field.getChildren().forEach(UploadSchema::requireVector);
  }

  private static Message message(ByteBuffer header) {
    return Message.getRootAsMessage(header.slice().order(ByteOrder.LITTLE_ENDIAN));
  }

  private static SluiceException damaged(String what, @Nullable Throwable cause) {
    return new SluiceException(
        ErrorCode.INVALID_ARGUMENT, "An Arrow message of the upload is damaged: " + what, cause);
  }

  private static SluiceException unreadable(String what, @Nullable Throwable cause) {
    return new SluiceException(
        ErrorCode.INVALID_SCHEMA, "The schema message of the upload is damaged: " + what, cause);
  }
}
