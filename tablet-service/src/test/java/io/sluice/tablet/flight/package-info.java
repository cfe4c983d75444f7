/** Tests of Arrow Flight on a tablet: real connections, replicas in memory. */
package io.sluice.tablet.flight;
