package io.sluice.protocol.lookup;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import io.sluice.protocol.kv.v1.LookupKind;
import io.sluice.protocol.kv.v1.LookupRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A {@link LookupRequest}. The arrays are not copied and must not change.
 *
 * @param requestId comes back in the answer
 * @param tableId id of the table
 * @param partitionId 0 when the table is not partitioned
 * @param bucket number of the bucket
 * @param keys encoded keys, or prefixes of them
 * @param schemaId schema in which the rows are wanted, 0 = each as it was stored
 * @param kind what the keys are and what is done about rows that do not exist; UNRECOGNIZED for a
 *     kind that this version does not know
 * @param limit rows for each prefix, 0 = all
 */
public record LookupQuestion(
    long requestId,
    long tableId,
    long partitionId,
    int bucket,
    List<byte[]> keys,
    int schemaId,
    LookupKind kind,
    int limit) {

  static LookupQuestion parse(CodedInputStream in) throws IOException {
    long requestId = 0;
    long tableId = 0;
    long partitionId = 0;
    int bucket = 0;
    List<byte[]> keys = new ArrayList<>();
    int schemaId = 0;
    LookupKind kind = LookupKind.LOOKUP_ROW;
    int limit = 0;
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      switch (tag >>> 3) {
        case LookupRequest.REQUEST_ID_FIELD_NUMBER -> requestId = in.readInt64();
        case LookupRequest.TABLE_ID_FIELD_NUMBER -> tableId = in.readInt64();
        case LookupRequest.PARTITION_ID_FIELD_NUMBER -> partitionId = in.readInt64();
        case LookupRequest.BUCKET_FIELD_NUMBER -> bucket = in.readInt32();
        case LookupRequest.KEYS_FIELD_NUMBER -> keys.add(in.readByteArray());
        case LookupRequest.SCHEMA_ID_FIELD_NUMBER -> schemaId = in.readInt32();
        case LookupRequest.KIND_FIELD_NUMBER -> kind = kind(in.readEnum());
        case LookupRequest.LIMIT_FIELD_NUMBER -> limit = in.readInt32();
        default -> in.skipField(tag);
      }
    }
    return new LookupQuestion(requestId, tableId, partitionId, bucket, keys, schemaId, kind, limit);
  }

  private static LookupKind kind(int number) {
    LookupKind known = LookupKind.forNumber(number);
    return known == null ? LookupKind.UNRECOGNIZED : known;
  }

  int serializedSize() {
    int size = WireFields.size(LookupRequest.REQUEST_ID_FIELD_NUMBER, requestId);
    size += WireFields.size(LookupRequest.TABLE_ID_FIELD_NUMBER, tableId);
    size += WireFields.size(LookupRequest.PARTITION_ID_FIELD_NUMBER, partitionId);
    size += WireFields.size(LookupRequest.BUCKET_FIELD_NUMBER, bucket);
    for (int i = 0; i < keys.size(); i++) {
      size += CodedOutputStream.computeByteArraySize(LookupRequest.KEYS_FIELD_NUMBER, keys.get(i));
    }
    size += WireFields.size(LookupRequest.SCHEMA_ID_FIELD_NUMBER, schemaId);
    size += WireFields.size(LookupRequest.KIND_FIELD_NUMBER, kind.getNumber());
    return size + WireFields.size(LookupRequest.LIMIT_FIELD_NUMBER, limit);
  }

  void writeTo(CodedOutputStream out) throws IOException {
    WireFields.write(out, LookupRequest.REQUEST_ID_FIELD_NUMBER, requestId);
    WireFields.write(out, LookupRequest.TABLE_ID_FIELD_NUMBER, tableId);
    WireFields.write(out, LookupRequest.PARTITION_ID_FIELD_NUMBER, partitionId);
    WireFields.write(out, LookupRequest.BUCKET_FIELD_NUMBER, bucket);
    for (int i = 0; i < keys.size(); i++) {
      out.writeByteArray(LookupRequest.KEYS_FIELD_NUMBER, keys.get(i));
    }
    WireFields.write(out, LookupRequest.SCHEMA_ID_FIELD_NUMBER, schemaId);
    WireFields.write(out, LookupRequest.KIND_FIELD_NUMBER, kind.getNumber());
    WireFields.write(out, LookupRequest.LIMIT_FIELD_NUMBER, limit);
  }
}
