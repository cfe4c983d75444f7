/**
 * Arrow Flight of a tablet: the service that stock Flight clients and our own client talk to.
 * Decodes requests, calls replicas, encodes answers; puts and scans carry batches from and to the
 * wire without decoding a column; lookups and scans of current rows are made into Arrow here. Knows
 * no files and no roles.
 */
@NullMarked
package io.sluice.tablet.flight;

import org.jspecify.annotations.NullMarked;
