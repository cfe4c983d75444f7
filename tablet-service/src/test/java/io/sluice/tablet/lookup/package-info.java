/** Tests of lookups without a connection. */
@NullMarked
package io.sluice.tablet.lookup;

import org.jspecify.annotations.NullMarked;
