/** Tests of the snapshots of key-value stores. */
@NullMarked
package io.sluice.tablet.kv.snapshot;

import org.jspecify.annotations.NullMarked;
