/** The data REST of a tablet, for people: reads what the replicas say and writes it as JSON. */
@NullMarked
package io.sluice.tablet.rest;

import org.jspecify.annotations.NullMarked;
