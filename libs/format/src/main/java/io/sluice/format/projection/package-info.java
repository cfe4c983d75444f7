/**
 * Reading some columns of stored batches without decoding them: which buffers are wanted, where
 * they lie, and the small Arrow message that describes them alone. Knows positions in a body, not
 * files; the caller reads.
 */
@NullMarked
package io.sluice.format.projection;

import org.jspecify.annotations.NullMarked;
