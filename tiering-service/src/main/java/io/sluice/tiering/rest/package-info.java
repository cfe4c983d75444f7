/** What this worker says of itself over HTTP. Decodes, calls, encodes. */
@NullMarked
package io.sluice.tiering.rest;

import org.jspecify.annotations.NullMarked;
