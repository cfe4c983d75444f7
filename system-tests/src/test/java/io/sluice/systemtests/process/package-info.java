/**
 * Clusters of real processes on loopback, started through the launcher script: the harness for
 * tests that kill, pause and restart services, and the tests of the launcher itself.
 */
@NullMarked
package io.sluice.systemtests.process;

import org.jspecify.annotations.NullMarked;
