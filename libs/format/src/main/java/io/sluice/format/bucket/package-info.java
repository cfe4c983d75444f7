/**
 * Which bucket a row belongs to. The functions are part of the public format: see {@code
 * docs/formats/bucketing.md}.
 */
@NullMarked
package io.sluice.format.bucket;

import org.jspecify.annotations.NullMarked;
