/**
 * {@code sluice sql}: statements to the SQL service, results as text for people, CSV or JSON, and
 * errors with the place they point at.
 */
@NullMarked
package io.sluice.cli.sql;

import org.jspecify.annotations.NullMarked;
