/**
 * Conditions over a table's columns: their text, what statistics and partition values rule out, and
 * exact evaluation over Arrow vectors. Knows nothing of files, tickets or scans.
 */
@NullMarked
package io.sluice.format.filter;

import org.jspecify.annotations.NullMarked;
