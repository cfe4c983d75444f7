package io.sluice.protocol.flight;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;

/** The two encodings in which a message may travel inside Flight. */
public enum WireEncoding {
  /** Protobuf bytes. */
  PROTOBUF {
    @Override
    public ByteString encode(Message message) {
      return message.toByteString();
    }
  },
  /** Proto3 JSON text in UTF-8, every field written out. */
  JSON {
    @Override
    public ByteString encode(Message message) {
      try {
        return ByteString.copyFromUtf8(PRINTER.print(message));
      } catch (InvalidProtocolBufferException e) {
        String type = message.getDescriptorForType().getFullName();
        throw new SluiceException(ErrorCode.INTERNAL, "Cannot print " + type + " as JSON", e);
      }
    }
  };

  private static final JsonFormat.Printer PRINTER =
      JsonFormat.printer().alwaysPrintFieldsWithNoPresence().omittingInsignificantWhitespace();

  /** The message in this encoding. */
  public abstract ByteString encode(Message message);

  /**
   * The encoding of received bytes: JSON when the first byte is '{' or there is none (an empty body
   * comes from people and scripts).
   */
  public static WireEncoding of(ByteString bytes) {
    return bytes.isEmpty() || bytes.byteAt(0) == '{' ? JSON : PROTOBUF;
  }
}
