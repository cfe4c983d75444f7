/**
 * The work of this process: rounds on their slots, from assignment to result, and the session with
 * the coordinator that hands them out. A round's rules ({@link io.sluice.tiering.job.RoundPlanner},
 * {@link io.sluice.tiering.job.FailureScopes}) do no I/O.
 */
@NullMarked
package io.sluice.tiering.job;

import org.jspecify.annotations.NullMarked;
