package io.sluice.protocol.error;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.ErrorInfo;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * {@link SluiceException} to and from gRPC statuses. The status carries a {@code
 * google.rpc.ErrorInfo} whose reason is the {@link ErrorCode} name, whose domain is {@value
 * #DOMAIN} and whose metadata are the details. Texts are cut so that the trailers fit into gRPC's
 * default limit of 8 KiB.
 */
public final class StatusMapping {
  /** Domain of every {@code ErrorInfo} made here. */
  public static final String DOMAIN = "sluice";

  private static final int MAX_MESSAGE_BYTES = 1024;
  private static final int MAX_DETAIL_BYTES = 256;
  private static final int MAX_DETAILS = 8;
  private static final int MAX_CAUSES = 8;

  /** How gRPC says that a message is larger than its receiver takes in. */
  private static final String TOO_LARGE = "message exceeds maximum size";

  private StatusMapping() {}

  /**
   * The status to answer with. A gRPC status passes through; anything that is neither a status nor
   * a {@link SluiceException} becomes INTERNAL with its class and message.
   */
  public static StatusRuntimeException toStatus(Throwable failure) {
    Throwable cause = unwrap(failure);
    if (cause instanceof StatusRuntimeException status) {
      return status;
    }
    if (cause instanceof StatusException status) {
      return new StatusRuntimeException(status.getStatus(), status.getTrailers());
    }
    return encode(toSluice(cause));
  }

  /**
   * What a failed call means. A status without our {@code ErrorInfo} maps by its code, save that a
   * message above its receiver's limit is INVALID_ARGUMENT; a failure that is no status at all
   * becomes INTERNAL with its class and message.
   */
  public static SluiceException fromStatus(Throwable failure) {
    Throwable cause = unwrap(failure);
    if (cause instanceof SluiceException known) {
      return known;
    }
    if (cause instanceof StatusRuntimeException status) {
      return decode(status.getStatus(), status.getTrailers(), status);
    }
    if (cause instanceof StatusException status) {
      return decode(status.getStatus(), status.getTrailers(), status);
    }
    return toSluice(cause);
  }

  /** What a call that ended with this status and these trailers means. */
  public static SluiceException fromStatus(Status status, @Nullable Metadata trailers) {
    return decode(status, trailers, status.asRuntimeException(trailers));
  }

  private static SluiceException toSluice(Throwable cause) {
    if (cause instanceof SluiceException known) {
      return known;
    }
    if (cause instanceof TimeoutException) {
      return new SluiceException(ErrorCode.TIMEOUT, describe(cause), cause);
    }
    return new SluiceException(ErrorCode.INTERNAL, describe(cause), cause);
  }

  private static String describe(Throwable cause) {
    String message = cause.getMessage();
    String type = cause.getClass().getName();
    return message == null ? type : type + ": " + message;
  }

  private static Throwable unwrap(Throwable failure) {
    Throwable current = failure;
    for (int i = 0; i < MAX_CAUSES; i++) {
      Throwable cause = current.getCause();
      boolean wrapper =
          current instanceof CompletionException || current instanceof ExecutionException;
      if (!wrapper || cause == null) {
        return current;
      }
      current = cause;
    }
    return current;
  }

  private static StatusRuntimeException encode(SluiceException failure) {
    Status.Code code = Status.Code.valueOf(failure.code().grpcStatus());
    String text = failure.getMessage() == null ? failure.code().name() : failure.getMessage();
    String message = WireText.cut(text, MAX_MESSAGE_BYTES);
    ErrorInfo.Builder info =
        ErrorInfo.newBuilder().setReason(failure.code().name()).setDomain(DOMAIN);
    int left = MAX_DETAILS;
    for (Map.Entry<String, String> detail : new TreeMap<>(failure.details()).entrySet()) {
      if (left-- == 0) {
        break;
      }
      info.putMetadata(
          WireText.cut(detail.getKey(), MAX_DETAIL_BYTES),
          WireText.cut(detail.getValue(), MAX_DETAIL_BYTES));
    }
    com.google.rpc.Status status =
        com.google.rpc.Status.newBuilder()
            .setCode(code.value())
            .setMessage(message)
            .addDetails(Any.pack(info.build()))
            .build();
    StatusRuntimeException encoded = StatusProto.toStatusRuntimeException(status);
    // The cause never leaves the process; it is for this side's log.
    return new StatusRuntimeException(
        encoded.getStatus().withCause(failure), encoded.getTrailers());
  }

  private static SluiceException decode(
      Status status, @Nullable Metadata trailers, Throwable failure) {
    if (status.getCause() instanceof SluiceException local) {
      return local;
    }
    ErrorInfo info = errorInfo(status, trailers);
    if (info == null) {
      return foreign(status, failure);
    }
    String message = status.getDescription() == null ? info.getReason() : status.getDescription();
    ErrorCode code = ErrorCodes.byName(info.getReason());
    if (code == null) {
      // A newer server's code: what its status means is the best that can be said.
      code = foreignCode(status.getCode());
      message = info.getReason() + ": " + message;
    }
    return new SluiceException(code, message, info.getMetadataMap(), failure);
  }

  private static @Nullable ErrorInfo errorInfo(Status status, @Nullable Metadata trailers) {
    com.google.rpc.Status details = StatusProto.fromStatusAndTrailers(status, trailers);
    if (details == null) {
      return null;
    }
    for (Any any : details.getDetailsList()) {
      if (any.is(ErrorInfo.class)) {
        ErrorInfo info = unpack(any);
        if (info != null && info.getDomain().equals(DOMAIN)) {
          return info;
        }
      }
    }
    return null;
  }

  private static @Nullable ErrorInfo unpack(Any any) {
    try {
      return any.unpack(ErrorInfo.class);
    } catch (InvalidProtocolBufferException e) {
      // Damaged details: the status itself still says what kind of failure it is.
      return null;
    }
  }

  private static SluiceException foreign(Status status, Throwable failure) {
    String description = status.getDescription();
    Throwable cause = status.getCause();
    StringBuilder message = new StringBuilder(status.getCode().name());
    if (description != null) {
      message.append(": ").append(description);
    }
    if (cause != null && cause.getMessage() != null) {
      message.append(" (").append(cause.getMessage()).append(')');
    }
    if (description != null && description.contains(TOO_LARGE)) {
      // It would be as large the next time.
      message.append("; ask for less, or send less, at a time");
      return new SluiceException(ErrorCode.INVALID_ARGUMENT, message.toString(), failure);
    }
    // gRPC calls it unknown when a connection closes under a message; a server's cause never comes.
    boolean broken = status.getCode() == Status.Code.UNKNOWN && cause instanceof IOException;
    ErrorCode code = broken ? ErrorCode.UNAVAILABLE : foreignCode(status.getCode());
    return new SluiceException(code, message.toString(), failure);
  }

  private static ErrorCode foreignCode(Status.Code code) {
    return switch (code) {
      case UNAVAILABLE -> ErrorCode.UNAVAILABLE;
      case DEADLINE_EXCEEDED -> ErrorCode.TIMEOUT;
      case CANCELLED -> ErrorCode.CANCELLED;
      case UNAUTHENTICATED -> ErrorCode.UNAUTHENTICATED;
      case PERMISSION_DENIED -> ErrorCode.PERMISSION_DENIED;
      case UNIMPLEMENTED -> ErrorCode.UNSUPPORTED;
      case NOT_FOUND -> ErrorCode.NOT_FOUND;
      case INVALID_ARGUMENT, FAILED_PRECONDITION, ALREADY_EXISTS -> ErrorCode.INVALID_ARGUMENT;
      case OUT_OF_RANGE -> ErrorCode.OFFSET_OUT_OF_RANGE;
      case RESOURCE_EXHAUSTED -> ErrorCode.BACKPRESSURE;
      // ABORTED says by definition that a second try may pass.
      case ABORTED -> ErrorCode.UNAVAILABLE;
      case DATA_LOSS -> ErrorCode.CORRUPT_STORAGE;
      case OK, UNKNOWN, INTERNAL -> ErrorCode.INTERNAL;
    };
  }
}
