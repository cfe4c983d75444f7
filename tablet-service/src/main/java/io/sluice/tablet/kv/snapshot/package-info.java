/**
 * Local snapshots of key-value stores: made, kept, checked and put in the place of a damaged store.
 * Knows stores and files; nothing of logs but their offsets, nothing of replicas.
 */
@NullMarked
package io.sluice.tablet.kv.snapshot;

import org.jspecify.annotations.NullMarked;
