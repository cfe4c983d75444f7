package io.sluice.protocol.lookup;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.Status;
import io.sluice.protocol.kv.v1.LookupServiceGrpc;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** The lookup call with our messages in place of the generated ones. */
public final class LookupMethods {
  private static final MethodDescriptor<LookupQuestion, LookupAnswer> LOOKUP =
      MethodDescriptor.newBuilder(new Questions(), new Answers())
          .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
          .setFullMethodName(LookupServiceGrpc.getLookupMethod().getFullMethodName())
          .build();

  private LookupMethods() {}

  /** {@code LookupService.Lookup}, for clients and servers. */
  public static MethodDescriptor<LookupQuestion, LookupAnswer> lookup() {
    return LOOKUP;
  }

  /** Reads a message of the service. */
  private interface Parser<M> {
    M parse(CodedInputStream in) throws IOException;
  }

  private static <M> M parse(InputStream stream, String what, Parser<M> parser) {
    try {
      CodedInputStream in = CodedInputStream.newInstance(bytes(stream));
      M message = parser.parse(in);
      in.checkLastTagWas(0);
      return message;
    } catch (IOException e) {
      throw Status.INTERNAL
          .withDescription("A " + what + " cannot be read: " + e.getMessage())
          .withCause(e)
          .asRuntimeException();
    }
  }

  /** The whole message in one array, which gRPC has bounded: transports know how long it is. */
  private static byte[] bytes(InputStream stream) throws IOException {
    byte[] bytes = new byte[stream.available()];
    int length = 0;
    while (length < bytes.length) {
      int read = stream.read(bytes, length, bytes.length - length);
      if (read < 0) {
        return Arrays.copyOf(bytes, length);
      }
      length += read;
    }
    byte[] rest = stream.readAllBytes();
    if (rest.length > 0) {
      bytes = Arrays.copyOf(bytes, length + rest.length);
      System.arraycopy(rest, 0, bytes, length, rest.length);
    }
    return bytes;
  }

  private static final class Questions implements Marshaller<LookupQuestion> {
    @Override
    public InputStream stream(LookupQuestion question) {
      return new MessageStream(question.serializedSize()) {
        @Override
        void write(CodedOutputStream out) throws IOException {
          question.writeTo(out);
        }
      };
    }

    @Override
    public LookupQuestion parse(InputStream stream) {
      return LookupMethods.parse(stream, "LookupRequest", LookupQuestion::parse);
    }
  }

  private static final class Answers implements Marshaller<LookupAnswer> {
    @Override
    public InputStream stream(LookupAnswer answer) {
      return new MessageStream(answer.serializedSize()) {
        @Override
        void write(CodedOutputStream out) throws IOException {
          answer.writeTo(out);
        }
      };
    }

    @Override
    public LookupAnswer parse(InputStream stream) {
      return LookupMethods.parse(stream, "LookupResponse", LookupAnswer::parse);
    }
  }
}
