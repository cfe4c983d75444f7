package io.sluice.client.internal;

/**
 * Who a writer is to the servers.
 *
 * @param id given by the coordinator
 * @param epoch grows with each start of a named writer; lower ones are fenced
 * @param named whether sequences are the source's own positions
 */
record WriterIdentity(long id, int epoch, boolean named) {}
