package io.sluice.tablet.flight;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.protocol.flight.WireMessages;
import io.sluice.protocol.flight.v1.Command;
import org.apache.arrow.flight.impl.Flight.FlightDescriptor;

/** Reads flight descriptors: a path {@code [database, table]} or a {@link Command}. */
final class Descriptors {
  private Descriptors() {}

  static boolean isPath(FlightDescriptor descriptor) {
    return descriptor.getType() == FlightDescriptor.DescriptorType.PATH
        || (descriptor.getPathCount() > 0 && descriptor.getCmd().isEmpty());
  }

  /** The table that a path names; INVALID_ARGUMENT when it is not {@code [database, table]}. */
  static TablePath table(FlightDescriptor descriptor) {
    if (descriptor.getPathCount() == 1) {
      return TablePath.parse(descriptor.getPath(0));
    }
    if (descriptor.getPathCount() != 2) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "Descriptor path "
              + descriptor.getPathList().stream().limit(8).toList()
              + " must have the form [database, table]");
    }
    return new TablePath(descriptor.getPath(0), descriptor.getPath(1));
  }

  /** The command of a descriptor that is not a path. */
  static Command command(FlightDescriptor descriptor) {
    if (descriptor.getCmd().isEmpty()) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "The descriptor is empty; it must have a path [database, table] or a command");
    }
    return WireMessages.parse(descriptor.getCmd(), Command.getDefaultInstance());
  }
}
