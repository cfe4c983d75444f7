/** The protobuf messages of schemas and columns to and from the types of the format library. */
@NullMarked
package io.sluice.protocol.metadata;

import org.jspecify.annotations.NullMarked;
