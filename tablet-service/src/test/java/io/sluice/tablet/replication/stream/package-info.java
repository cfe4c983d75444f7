/** Tests of the streams between servers over loopback, with leaders and followers in memory. */
package io.sluice.tablet.replication.stream;
