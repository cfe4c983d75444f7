/**
 * The Iceberg REST catalog: routes requests to Iceberg's own handlers, refuses what would change a
 * table that Sluice manages, and answers errors in Iceberg's form.
 */
@NullMarked
package io.sluice.lake.rest;

import org.jspecify.annotations.NullMarked;
