/** Tests of the log and batches for the tests of what builds on it. */
@NullMarked
package io.sluice.tablet.log;

import org.jspecify.annotations.NullMarked;
