package io.sluice.client.internal;

/**
 * What a writer is put together from.
 *
 * @param identity who it is to the servers
 * @param accumulator open batches
 * @param loop sends them
 * @param outstanding what is not final
 * @param committed how far a named source is stored
 * @param pool row buffers
 * @param routing where rows go
 */
record WriterParts(
    WriterIdentity identity,
    Accumulator accumulator,
    DeliveryLoop loop,
    Outstanding outstanding,
    CommittedPosition committed,
    RowBufferPool pool,
    RowRouting routing) {}
