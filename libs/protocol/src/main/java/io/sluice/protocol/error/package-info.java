/**
 * How failures travel: {@link io.sluice.common.SluiceException} to and from gRPC statuses and the
 * error message of put answers. Nothing here decides what is an error.
 */
@NullMarked
package io.sluice.protocol.error;

import org.jspecify.annotations.NullMarked;
