/** Tests of the key-value state of a bucket. */
@NullMarked
package io.sluice.tablet.kv;

import org.jspecify.annotations.NullMarked;
