/**
 * The REST API under {@code /api/v1}: JSON views of the state, paged lists, entity tags made from
 * the Raft index. Decode, call, encode.
 */
@NullMarked
package io.sluice.coordinator.rest;

import org.jspecify.annotations.NullMarked;
