/**
 * The cluster secret and the short-lived token made from it that every internal call carries, with
 * the gRPC interceptors that add and check it.
 */
@NullMarked
package io.sluice.protocol.security;

import org.jspecify.annotations.NullMarked;
