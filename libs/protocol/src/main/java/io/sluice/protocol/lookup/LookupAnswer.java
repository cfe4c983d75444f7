package io.sluice.protocol.lookup;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.ExtensionRegistryLite;
import io.sluice.common.SluiceException;
import io.sluice.protocol.error.PutErrors;
import io.sluice.protocol.flight.v1.PutError;
import io.sluice.protocol.kv.v1.LookupResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A {@link LookupResponse}. The arrays are not copied and must not change.
 *
 * @param requestId of the question
 * @param values encoded rows, null for no row; see {@link LookupResponse}
 * @param rowCounts of prefixes, the number of rows of each
 * @param missing indexes of the keys whose rows were made
 * @param error why there are no rows, null on success
 */
public record LookupAnswer(
    long requestId,
    List<byte @Nullable []> values,
    List<Integer> rowCounts,
    List<Integer> missing,
    @Nullable PutError error) {
  private static final byte[] NO_ROW = {};

  /** The rows of keys in their order, null for no row. */
  public static LookupAnswer rows(long requestId, List<byte @Nullable []> values) {
    return new LookupAnswer(requestId, values, List.of(), List.of(), null);
  }

  /** A refusal. */
  public static LookupAnswer refused(long requestId, Throwable why) {
    return new LookupAnswer(requestId, List.of(), List.of(), List.of(), PutErrors.toPutError(why));
  }

  /** Why there are no rows, null when there are. */
  public @Nullable SluiceException failure() {
    PutError found = error;
    return found == null ? null : PutErrors.fromPutError(found);
  }

  static LookupAnswer parse(CodedInputStream in) throws IOException {
    long requestId = 0;
    List<byte @Nullable []> values = new ArrayList<>();
    List<Integer> rowCounts = Collections.emptyList();
    List<Integer> missing = Collections.emptyList();
    PutError error = null;
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      switch (tag >>> 3) {
        case LookupResponse.REQUEST_ID_FIELD_NUMBER -> requestId = in.readInt64();
        case LookupResponse.VALUES_FIELD_NUMBER -> {
          byte[] value = in.readByteArray();
          values.add(value.length == 0 ? null : value);
        }
        case LookupResponse.ERROR_FIELD_NUMBER ->
            error = in.readMessage(PutError.parser(), ExtensionRegistryLite.getEmptyRegistry());
        case LookupResponse.ROW_COUNTS_FIELD_NUMBER -> {
          rowCounts = rowCounts.isEmpty() ? new ArrayList<>() : rowCounts;
          WireFields.read(in, tag, rowCounts);
        }
        case LookupResponse.MISSING_FIELD_NUMBER -> {
          missing = missing.isEmpty() ? new ArrayList<>() : missing;
          WireFields.read(in, tag, missing);
        }
        default -> in.skipField(tag);
      }
    }
    return new LookupAnswer(requestId, values, rowCounts, missing, error);
  }

  int serializedSize() {
    int size = WireFields.size(LookupResponse.REQUEST_ID_FIELD_NUMBER, requestId);
    for (int i = 0; i < values.size(); i++) {
      size += CodedOutputStream.computeByteArraySize(LookupResponse.VALUES_FIELD_NUMBER, bytes(i));
    }
    PutError failure = error;
    if (failure != null) {
      size += CodedOutputStream.computeMessageSize(LookupResponse.ERROR_FIELD_NUMBER, failure);
    }
    size += WireFields.packedSize(LookupResponse.ROW_COUNTS_FIELD_NUMBER, rowCounts);
    return size + WireFields.packedSize(LookupResponse.MISSING_FIELD_NUMBER, missing);
  }

  void writeTo(CodedOutputStream out) throws IOException {
    WireFields.write(out, LookupResponse.REQUEST_ID_FIELD_NUMBER, requestId);
    for (int i = 0; i < values.size(); i++) {
      out.writeByteArray(LookupResponse.VALUES_FIELD_NUMBER, bytes(i));
    }
    PutError failure = error;
    if (failure != null) {
      out.writeMessage(LookupResponse.ERROR_FIELD_NUMBER, failure);
    }
    WireFields.writePacked(out, LookupResponse.ROW_COUNTS_FIELD_NUMBER, rowCounts);
    WireFields.writePacked(out, LookupResponse.MISSING_FIELD_NUMBER, missing);
  }

  private byte[] bytes(int index) {
    byte[] value = values.get(index);
    return value == null ? NO_ROW : value;
  }
}
