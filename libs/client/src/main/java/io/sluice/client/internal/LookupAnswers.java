package io.sluice.client.internal;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.kv.v1.LookupKind;
import io.sluice.protocol.lookup.LookupAnswer;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which rows of an answer are whose. */
final class LookupAnswers {
  private static final List<byte @Nullable []> NO_ROW = Collections.singletonList(null);

  private LookupAnswers() {}

  /** What is wrong with an answer to so many lookups, null when nothing is. */
  static @Nullable SluiceException mismatch(LookupKind kind, int lookups, LookupAnswer answer) {
    boolean prefixes = kind == LookupKind.LOOKUP_PREFIX;
    long rows = prefixes ? 0 : lookups;
    boolean complete =
        !prefixes || (answer.rowCounts().size() == lookups && !answer.values().contains(null));
    if (prefixes) {
      for (int count : answer.rowCounts()) {
        complete &= count >= 0;
        rows += count;
      }
    }
    if (complete && rows == answer.values().size()) {
      return null;
    }
    return new SluiceException(
        ErrorCode.INTERNAL,
        answer.values().size()
            + " values"
            + (prefixes ? " of " + answer.rowCounts().size() + " prefixes" : "")
            + " came for "
            + lookups
            + (prefixes ? " prefixes" : " keys"));
  }

  /** Ends lookups with the rows of their answer, in which {@link #mismatch} has found nothing. */
  static void deliver(List<PendingLookup> lookups, LookupAnswer answer) {
    List<Integer> counts = answer.rowCounts();
    int from = 0;
    for (int i = 0; i < lookups.size(); i++) {
      int to = from + (counts.isEmpty() ? 1 : counts.get(i));
      lookups.get(i).found(answer.values(), from, to);
      from = to;
    }
  }

  /** Ends a lookup in a partition that does not exist. */
  static void deliverNothing(LookupKind kind, PendingLookup lookup) {
    lookup.found(NO_ROW, 0, kind == LookupKind.LOOKUP_PREFIX ? 0 : 1);
  }
}
