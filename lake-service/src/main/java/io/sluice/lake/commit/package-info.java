/**
 * Rounds and what became of them: where a table is in the lake, the commit of a round with its
 * compare-and-set of offsets, the settling of commits without an answer, and the comparison of the
 * lake with what the coordinator has recorded. Plain Java over an Iceberg catalog.
 */
@NullMarked
package io.sluice.lake.commit;

import org.jspecify.annotations.NullMarked;
