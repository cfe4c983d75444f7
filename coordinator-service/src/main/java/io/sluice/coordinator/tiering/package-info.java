/**
 * The tiering queue: which table is copied to the lake next, by which worker, and what follows when
 * that goes wrong. {@link io.sluice.coordinator.tiering.TieringQueue} decides and {@link
 * io.sluice.coordinator.tiering.TieringLoop} acts; what must survive is in the metadata. No gRPC,
 * no Spring, no lake.
 */
@NullMarked
package io.sluice.coordinator.tiering;

import org.jspecify.annotations.NullMarked;
