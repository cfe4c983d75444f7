package io.sluice.tablet.kv;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The encoded rows of several prefixes, those of the first prefix first, each in key order.
 *
 * @param values the rows of all prefixes, none null
 * @param counts how many there are of each prefix
 */
public record PrefixRows(List<byte @Nullable []> values, List<Integer> counts) {}
