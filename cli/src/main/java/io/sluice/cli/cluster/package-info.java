/** Local clusters, started and stopped through the launcher script and never by other means. */
@NullMarked
package io.sluice.cli.cluster;

import org.jspecify.annotations.NullMarked;
