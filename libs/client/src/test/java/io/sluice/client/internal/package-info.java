/** Tests of what applications do not see. */
package io.sluice.client.internal;
