/**
 * The streams on which followers fetch from leaders: sessions that answer on the leader's server,
 * streams that ask on the follower's, the connections between servers and the pace of catching up.
 * Knows replicas as sources and sinks only; nothing here reads or writes a file.
 */
@NullMarked
package io.sluice.tablet.replication.stream;

import org.jspecify.annotations.NullMarked;
