/** Tests of the session with the coordinator against a coordinator in memory. */
package io.sluice.tablet.coordinator;
