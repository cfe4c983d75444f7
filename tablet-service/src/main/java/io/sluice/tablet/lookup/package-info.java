/**
 * Lookups of rows by primary key: the public {@code sluice.kv.v1} service and what it shares with
 * the Flight side. Reads what replicas have applied; knows no files and no roles.
 */
@NullMarked
package io.sluice.tablet.lookup;

import org.jspecify.annotations.NullMarked;
