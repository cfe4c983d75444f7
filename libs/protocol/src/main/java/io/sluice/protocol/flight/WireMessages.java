package io.sluice.protocol.flight;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.UnsafeByteOperations;
import com.google.protobuf.util.JsonFormat;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.nio.ByteBuffer;

/**
 * Parses the messages inside Flight tickets, commands, actions and app_metadata, which may be
 * protobuf or proto3 JSON (recognised by the first byte '{', which no message of ours can have in
 * protobuf). Answers go out in the encoding of the request, see {@link WireEncoding}.
 */
public final class WireMessages {
  /** The largest message parsed. */
  public static final int MAX_BYTES = 4 * 1024 * 1024;

  private static final JsonFormat.Parser PARSER = JsonFormat.parser();

  private WireMessages() {}

  /** Parses; INVALID_ARGUMENT naming the message and, in JSON, the unknown or wrong field. */
  public static <M extends Message> M parse(ByteString bytes, M defaultInstance) {
    return parse(bytes, defaultInstance, ErrorCode.INVALID_ARGUMENT);
  }

  /** Parses without copying; the buffer's content must not change while the message is in use. */
  public static <M extends Message> M parse(ByteBuffer bytes, M defaultInstance) {
    return parse(UnsafeByteOperations.unsafeWrap(bytes), defaultInstance);
  }

  /** Parses; a failure is reported under the given code. */
  public static <M extends Message> M parse(ByteString bytes, M defaultInstance, ErrorCode code) {
    String type = defaultInstance.getDescriptorForType().getName();
    if (bytes.size() > MAX_BYTES) {
      throw new SluiceException(
          code, type + " has " + bytes.size() + " bytes; at most " + MAX_BYTES + " are accepted");
    }
    try {
      Message.Builder builder = defaultInstance.newBuilderForType();
      if (WireEncoding.of(bytes) == WireEncoding.PROTOBUF) {
        CodedInputStream input = bytes.newCodedInput();
        input.enableAliasing(true);
        builder.mergeFrom(input);
        input.checkLastTagWas(0);
      } else if (!bytes.isEmpty()) {
        PARSER.merge(bytes.toStringUtf8(), builder);
      }
      return cast(builder.build(), defaultInstance);
    } catch (InvalidProtocolBufferException e) {
      throw new SluiceException(code, type + " cannot be parsed: " + e.getMessage(), e);
    } catch (java.io.IOException | RuntimeException e) {
      // The JSON reader reports some malformed numbers and deep nesting by unchecked exceptions.
      throw new SluiceException(code, type + " cannot be parsed: " + e, e);
    }
  }

  @SuppressWarnings("unchecked") // a builder made by the default instance builds its type
  private static <M extends Message> M cast(Message built, M defaultInstance) {
    return (M) defaultInstance.getClass().cast(built);
  }
}
