/**
 * Questions to the services' REST interfaces: JSON both ways, failures as problem details. Knows no
 * particular service.
 */
@NullMarked
package io.sluice.cli.rest;

import org.jspecify.annotations.NullMarked;
