package io.sluice.protocol.error;

import io.sluice.common.ErrorCode;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Looks error codes up by the name that travels. */
final class ErrorCodes {
  private static final Map<String, ErrorCode> BY_NAME =
      Stream.of(ErrorCode.values()).collect(Collectors.toMap(ErrorCode::name, Function.identity()));

  private ErrorCodes() {}

  /** The code of that name, null when this version does not know it. */
  static @Nullable ErrorCode byName(String name) {
    return BY_NAME.get(name);
  }
}
