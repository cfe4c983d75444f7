package io.sluice.tablet.app;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

/**
 * How replicas of this server follow others, and others follow those here.
 *
 * @param peerAddresses where this server reaches other tablets, {@code id=host:port} each, in place
 *     of the addresses by which they are registered
 * @param catchUpBytesPerSecond pace at which this server catches up with everything that is not in
 *     sync
 * @param readThreads threads that read logs for followers
 */
@Validated
@ConfigurationProperties("sluice.replication")
record ReplicationProperties(
    @DefaultValue List<String> peerAddresses,
    @DefaultValue("50MB") DataSize catchUpBytesPerSecond,
    @DefaultValue("2") @Min(1) @Max(64) int readThreads) {}
