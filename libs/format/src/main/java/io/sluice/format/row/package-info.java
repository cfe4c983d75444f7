/**
 * Rows: reading them from and writing them into Arrow vectors, and the byte encodings of keys and
 * row values. Bytes are described in {@code docs/formats/key-encoding.md} and {@code
 * docs/formats/row-encoding.md}. No batches, no files.
 */
@NullMarked
package io.sluice.format.row;

import org.jspecify.annotations.NullMarked;
