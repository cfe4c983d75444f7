package io.sluice.systemtests.replicated;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Everything that the outside world knows of the tables of a workload, in a form that stays small
 * for hours. Thread-safe.
 */
final class History {
  /** The tables of a workload. */
  enum Kind {
    /** A log table that named sources append to. */
    LOG,
    /** A primary-key table whose last row wins, written whole and by column sets. */
    CELLS,
    /** A primary-key table that adds up. */
    SUMS
  }

  private final Map<Kind, Map<Integer, OffsetContents>> told = new EnumMap<>(Kind.class);
  private final List<SourceHistory> sources = new ArrayList<>();
  private final List<Cell> cells = new ArrayList<>();
  private final SumHistory sums;
  private final Violations violations = new Violations();
  private final Timeline timeline = new Timeline();
  private final AtomicLong operations = new AtomicLong();
  private final Map<String, AtomicLong> failures = new ConcurrentHashMap<>();
  private final ConcurrentLinkedQueue<Outage> outages = new ConcurrentLinkedQueue<>();

  /**
   * A time in which a client had changes on their way and none was acknowledged.
   *
   * @param at when it ended, seconds since the beginning
   */
  record Outage(String client, double at, double seconds) {}

  /**
   * @param sourceCount sources of the log table, numbered from 0
   * @param cellCount rows of the table of cells
   * @param sumCount keys of the table that adds up
   */
  History(int sourceCount, int cellCount, int sumCount) {
    for (Kind kind : Kind.values()) {
      told.put(kind, new ConcurrentHashMap<>());
    }
    for (int number = 0; number < sourceCount; number++) {
      sources.add(new SourceHistory(number));
    }
    for (int key = 0; key < cellCount; key++) {
      cells.add(new Cell(key));
    }
    sums = new SumHistory(sourceCount, sumCount);
  }

  List<SourceHistory> sources() {
    return List.copyOf(sources);
  }

  SourceHistory source(int number) {
    return sources.get(number);
  }

  List<Cell> cells() {
    return List.copyOf(cells);
  }

  SumHistory sums() {
    return sums;
  }

  Violations violations() {
    return violations;
  }

  Timeline timeline() {
    return timeline;
  }

  /** What was told of a bucket. */
  OffsetContents told(Kind kind, int bucket) {
    return told.get(kind).computeIfAbsent(bucket, any -> new OffsetContents());
  }

  /** Somebody was told the content of an offset. */
  void tell(Kind kind, int bucket, long offset, long content, String by) {
    long before = told(kind, bucket).tell(offset, content);
    if (before != 0) {
      violations.add(
          "dense",
          "Offset %d of bucket %d of %s was %s and is %s for %s"
              .formatted(
                  offset, bucket, kind, describe(kind, before), describe(kind, content), by));
    }
  }

  static String describe(Kind kind, long content) {
    return kind == Kind.LOG ? Contents.describeRow(content) : Contents.describeChange(content);
  }

  /** One more operation has its outcome. */
  void operation() {
    operations.incrementAndGet();
  }

  long operations() {
    return operations.get();
  }

  /** An operation failed: its outcome is unknown. */
  void failure(String code) {
    failures.computeIfAbsent(code, any -> new AtomicLong()).incrementAndGet();
  }

  Map<String, AtomicLong> failures() {
    return Map.copyOf(failures);
  }

  void outage(String client, double seconds) {
    outages.add(new Outage(client, timeline.seconds(), seconds));
  }

  /** The longest time without an acknowledgement. */
  Outage longestOutage() {
    return outages.stream()
        .max((one, other) -> Double.compare(one.seconds, other.seconds))
        .orElse(new Outage("nobody", 0, 0));
  }
}
