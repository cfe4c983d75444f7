package io.sluice.protocol.lookup;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.util.List;

/** Number fields as protobuf has them: zero is left out, lists are packed. */
final class WireFields {
  private WireFields() {}

  static int size(int field, long value) {
    return value == 0 ? 0 : CodedOutputStream.computeInt64Size(field, value);
  }

  static void write(CodedOutputStream out, int field, long value) throws IOException {
    if (value != 0) {
      out.writeInt64(field, value);
    }
  }

  static int packedSize(int field, List<Integer> values) {
    if (values.isEmpty()) {
      return 0;
    }
    int size = contentSize(values);
    return CodedOutputStream.computeTagSize(field)
        + CodedOutputStream.computeUInt32SizeNoTag(size)
        + size;
  }

  private static int contentSize(List<Integer> values) {
    int size = 0;
    for (int value : values) {
      size += CodedOutputStream.computeInt32SizeNoTag(value);
    }
    return size;
  }

  static void writePacked(CodedOutputStream out, int field, List<Integer> values)
      throws IOException {
    if (values.isEmpty()) {
      return;
    }
    out.writeTag(field, WireFormat.WIRETYPE_LENGTH_DELIMITED);
    out.writeUInt32NoTag(contentSize(values));
    for (int value : values) {
      out.writeInt32NoTag(value);
    }
  }

  /** Adds what the field holds, which is packed or one value. */
  static void read(CodedInputStream in, int tag, List<Integer> values) throws IOException {
    if (WireFormat.getTagWireType(tag) != WireFormat.WIRETYPE_LENGTH_DELIMITED) {
      values.add(in.readInt32());
      return;
    }
    int limit = in.pushLimit(in.readRawVarint32());
    while (in.getBytesUntilLimit() > 0) {
      values.add(in.readInt32());
    }
    in.popLimit(limit);
  }
}
