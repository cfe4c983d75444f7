/** Rounds, workers and their session with fake neighbours. */
package io.sluice.tiering.job;
