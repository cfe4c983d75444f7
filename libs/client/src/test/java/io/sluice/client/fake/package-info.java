/** A cluster in memory that speaks the real protocols and fails as a test asks it to. */
package io.sluice.client.fake;
