/** Files of rounds against Iceberg's own readers. */
package io.sluice.tiering.write;
