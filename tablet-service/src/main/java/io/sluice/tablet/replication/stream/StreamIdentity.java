package io.sluice.tablet.replication.stream;

/**
 * Who fetches.
 *
 * @param serverId this server
 * @param incarnation this process, as it is registered with the coordinator
 */
public record StreamIdentity(int serverId, String incarnation) {}
