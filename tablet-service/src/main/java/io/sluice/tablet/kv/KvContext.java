package io.sluice.tablet.kv;

import io.sluice.common.TimeSource;
import org.apache.arrow.memory.BufferAllocator;

/**
 * What a bucket's rows are evaluated with.
 *
 * @param schemas schemas and rules of the table
 * @param ids ids for new rows of a table with an auto-increment column
 * @param time says which rows have outlived {@code table.kv.ttl}
 * @param allocator pays for changelogs and for batches being read
 */
public record KvContext(
    KvSchemas schemas, IdSource ids, TimeSource time, BufferAllocator allocator) {}
