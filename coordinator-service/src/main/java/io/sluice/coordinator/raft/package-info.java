/**
 * The metadata log on Apache Ratis: commands and snapshots as bytes, the state machine that holds
 * the current image. The only place that knows Ratis.
 */
@NullMarked
package io.sluice.coordinator.raft;

import org.jspecify.annotations.NullMarked;
