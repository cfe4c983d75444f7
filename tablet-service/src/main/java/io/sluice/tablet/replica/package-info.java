/**
 * What a tablet hosts: tables, the replicas of their buckets, and the roles that the coordinator's
 * state gives them. Knows the log and the key-value store, nothing of sockets or Spring.
 */
@NullMarked
package io.sluice.tablet.replica;

import org.jspecify.annotations.NullMarked;
