/**
 * The plan of reading lake and log as one table, and the two sides it is made from: the lake as
 * lake-service tells it, and the cluster as its client tells it. Knows no SQL and no engine.
 */
@NullMarked
package io.sluice.lake.union;

import org.jspecify.annotations.NullMarked;
