/**
 * Replicated clusters of real processes under faults: links between servers that can be cut, a
 * recorded workload, a seeded schedule of faults, and a checker that judges from outside what is
 * left. The checker reads no clock and talks to nobody, so that forged histories test it.
 */
@NullMarked
package io.sluice.systemtests.replicated;

import org.jspecify.annotations.NullMarked;
