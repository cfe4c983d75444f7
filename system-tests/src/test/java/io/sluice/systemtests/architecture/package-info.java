/**
 * Checks of the source tree itself: allowed directions between modules and packages, and the rules
 * that the compiler and the formatter do not hold. The fixture packages below break each rule on
 * purpose.
 */
@NullMarked
package io.sluice.systemtests.architecture;

import org.jspecify.annotations.NullMarked;
