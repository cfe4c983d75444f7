/**
 * Brings the rows of a primary-key bucket from its leader to a replica that cannot, or should not,
 * build them from the changelog: the leader's end, which streams a hard-linked copy of its store,
 * and the follower's, which takes it in. What is done with the rows is the replica's affair.
 */
@NullMarked
package io.sluice.tablet.replication.checkpoint;

import org.jspecify.annotations.NullMarked;
