/**
 * Data types, columns and table schemas, how they map to Arrow, and lossless casts from foreign
 * Arrow vectors to column vectors. No bytes of rows or batches.
 */
@NullMarked
package io.sluice.format.schema;

import org.jspecify.annotations.NullMarked;
