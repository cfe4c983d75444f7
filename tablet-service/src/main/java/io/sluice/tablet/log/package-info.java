/**
 * A bucket's log on disk: segments and their indexes, leader epochs, writer state, recovery points,
 * crash recovery and cursors. Bytes are described in {@code docs/formats/segment.md}. Nothing here
 * knows of roles, the coordinator, sockets or Spring.
 */
@NullMarked
package io.sluice.tablet.log;

import org.jspecify.annotations.NullMarked;
