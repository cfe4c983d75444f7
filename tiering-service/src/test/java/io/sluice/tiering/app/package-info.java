/** Tests that boot the worker as a Spring application. */
package io.sluice.tiering.app;
