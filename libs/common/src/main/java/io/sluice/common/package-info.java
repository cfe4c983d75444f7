/**
 * Ids, names, error codes, options and clocks shared by every module. Nothing here knows Arrow,
 * Spring, files or sockets.
 */
@NullMarked
package io.sluice.common;

import org.jspecify.annotations.NullMarked;
