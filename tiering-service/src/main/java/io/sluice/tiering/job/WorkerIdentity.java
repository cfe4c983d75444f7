package io.sluice.tiering.job;

/**
 * Who this worker is.
 *
 * @param workerId its name, the same after a restart
 * @param incarnation new for every start of the process
 * @param host where it runs
 * @param version version of the build
 */
public record WorkerIdentity(String workerId, String incarnation, String host, String version) {}
