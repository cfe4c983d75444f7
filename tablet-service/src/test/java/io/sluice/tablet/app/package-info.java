/** Tests that boot the tablet as a Spring application. */
package io.sluice.tablet.app;
