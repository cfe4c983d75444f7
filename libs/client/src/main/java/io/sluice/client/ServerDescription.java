package io.sluice.client;

/**
 * A tablet server as the coordinator knows it.
 *
 * @param serverId configured id, from 1
 * @param host host of its services
 * @param flightPort port of Arrow Flight
 * @param httpPort port of HTTP
 * @param rack rack name, empty when not set
 * @param alive whether its session is open
 * @param leaders buckets it leads
 * @param replicas buckets it holds
 */
public record ServerDescription(
    int serverId,
    String host,
    int flightPort,
    int httpPort,
    String rack,
    boolean alive,
    int leaders,
    int replicas) {}
