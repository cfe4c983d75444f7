/** Tests of the rules by which replicas stay the same log. */
@NullMarked
package io.sluice.tablet.replication;

import org.jspecify.annotations.NullMarked;
