/**
 * The log batch, version 1: header, sections, checksums, codecs, statistics, encoding from and
 * decoding to Arrow vectors, and the checks a server makes without decoding a column. Bytes are
 * described in {@code docs/formats/log-batch.md}.
 */
@NullMarked
package io.sluice.format.batch;

import org.jspecify.annotations.NullMarked;
