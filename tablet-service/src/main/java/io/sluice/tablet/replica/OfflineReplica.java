package io.sluice.tablet.replica;

import io.sluice.common.TableBucket;

/**
 * A replica that serves nothing because its data is damaged or its disk failed.
 *
 * @param bucket the bucket
 * @param reason what was found, naming the file
 */
public record OfflineReplica(TableBucket bucket, String reason) {}
