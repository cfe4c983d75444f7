/**
 * Bitmaps as values of SQL: sets of whole numbers in the portable RoaringBitmap formats, what can
 * be done with them, and nothing of the engine that does it.
 */
@NullMarked
package io.sluice.lake.bitmap;

import org.jspecify.annotations.NullMarked;
