/** The services in one JVM on loopback, and the tests that look at them through their protocols. */
@NullMarked
package io.sluice.systemtests.local;

import org.jspecify.annotations.NullMarked;
