/** One class per disaster: real processes are killed under load, and what is left is checked. */
@NullMarked
package io.sluice.systemtests.faults;

import org.jspecify.annotations.NullMarked;
