/** Moved clocks, faulty files, seeded random operations and reference models for tests. */
@NullMarked
package io.sluice.testkit;

import org.jspecify.annotations.NullMarked;
