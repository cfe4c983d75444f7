/**
 * A gRPC relay between two services of a test, which sees every message by its method and can hold
 * or lose it: faults at an exact step of a conversation.
 */
@NullMarked
package io.sluice.systemtests.relay;

import org.jspecify.annotations.NullMarked;
