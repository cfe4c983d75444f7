package io.sluice.tablet.lookup;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.format.row.KeyEncoder;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.kv.v1.LookupKind;
import io.sluice.protocol.lookup.LookupAnswer;
import io.sluice.protocol.lookup.LookupQuestion;
import io.sluice.tablet.kv.PrefixRows;
import io.sluice.tablet.kv.RowsView;
import io.sluice.tablet.replica.HostedTable;
import io.sluice.tablet.replica.Replica;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one lookup call asks, answered: every question gets one answer, rows or a refusal. Small
 * questions about whole keys of one bucket share a read. One owner at a time.
 */
final class LookupTurn {
  private static final Logger log = LoggerFactory.getLogger(LookupTurn.class);

  /** Keys of one question. */
  private static final int MAX_KEYS = 16 * 1024;

  /** Keys of the questions that share a read. */
  private static final int SHARED_KEYS = 128;

  /** Keys that are worth a look at the memory alone. */
  private static final int MAX_KEYS_FROM_MEMORY = 8;

  /** Bytes of rows that are sent from where their question arrived: no other call waits long. */
  private static final int MAX_BYTES_FROM_MEMORY = 256 * 1024;

  /** Questions that go to the threads at once after one that was not in memory, or was large. */
  private static final int MEMORY_PAUSE = 32;

  private final RowLookups lookups;
  private final Consumer<LookupAnswer> out;
  private final Runnable begun;
  private final Consumer<PendingInsert> made;
  private final LookupTables tables = new LookupTables();
  private int memoryPause;
  private int keptPause;

  /**
   * @param out takes the answers
   * @param begun called when a question begins to wait for rows that are being made
   * @param made called on any thread when such a question is to be {@link #resume resumed}
   */
  LookupTurn(
      RowLookups lookups,
      Consumer<LookupAnswer> out,
      Runnable begun,
      Consumer<PendingInsert> made) {
    this.lookups = lookups;
    this.out = out;
    this.begun = begun;
    this.made = made;
  }

  /**
   * The answer to a question about whole keys when it is small and no file must be read for it, or
   * all of its rows are kept; else null. Never blocks.
   */
  @Nullable LookupAnswer fromMemory(LookupQuestion question) {
    boolean few = question.keys().size() <= MAX_KEYS_FROM_MEMORY;
    if (question.kind() != LookupKind.LOOKUP_ROW
        || question.keys().size() > SHARED_KEYS
        || isPause(few)) {
      return null;
    }
    try {
      requireValid(question);
      Replica replica = lookups.replica(bucket(question));
      replica.requireLeader();
      KeyRouting routing = tables.keys(replica.table());
      checkKinds(question, routing);
      RowsView rows = replica.requireRows();
      List<byte @Nullable []> values =
          few ? rows.multiGetFromMemory(question.keys()) : rows.multiGetKept(question.keys());
      if (values == null || RowLookups.bytes(values) > MAX_BYTES_FROM_MEMORY) {
        pause(few);
        return null;
      }
      replica.requireLease();
      check(question, routing, values);
      lookups.count(values);
      return LookupAnswer.rows(
          question.requestId(), tables.inSchema(question.schemaId(), replica.table(), values));
    } catch (RuntimeException e) {
      return LookupAnswer.refused(question.requestId(), failure(e, question));
    }
  }

  private boolean isPause(boolean few) {
    return few ? memoryPause > 0 && memoryPause-- > 0 : keptPause > 0 && keptPause-- > 0;
  }

  private void pause(boolean few) {
    if (few) {
      memoryPause = MEMORY_PAUSE;
    } else {
      keptPause = MEMORY_PAUSE;
    }
  }

  /** Answers questions, or begins to make the rows that some of them miss. */
  void answer(List<LookupQuestion> questions) {
    Map<TableBucket, List<LookupQuestion>> byBucket = new LinkedHashMap<>();
    for (LookupQuestion question : questions) {
      try {
        requireValid(question);
        switch (question.kind()) {
          case LOOKUP_PREFIX -> prefixes(question);
          case LOOKUP_INSERT_IF_ABSENT -> insertIfAbsent(question);
          default ->
              byBucket.computeIfAbsent(bucket(question), any -> new ArrayList<>()).add(question);
        }
      } catch (RuntimeException e) {
        refuse(question, e);
      }
    }
    byBucket.forEach(this::rows);
  }

  private static void requireValid(LookupQuestion question) {
    if (question.tableId() < 1 || question.bucket() < 0 || question.partitionId() < 0) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "A lookup names table id "
              + question.tableId()
              + ", partition id "
              + question.partitionId()
              + ", bucket "
              + question.bucket());
    }
    if (question.kind() == LookupKind.UNRECOGNIZED) {
      throw new SluiceException(
          ErrorCode.UNSUPPORTED, "This server does not know the kind of a lookup; it is newer");
    }
    if (question.limit() < 0) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "The limit of a lookup is " + question.limit() + "; it must be 0, for all, or more");
    }
    if (question.keys().size() > MAX_KEYS) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "A lookup has " + question.keys().size() + " keys; the limit is " + MAX_KEYS);
    }
  }

  private static TableBucket bucket(LookupQuestion question) {
    return new TableBucket(question.tableId(), question.partitionId(), question.bucket());
  }

  private static void check(LookupQuestion question, KeyRouting routing) {
    for (byte[] key : question.keys()) {
      routing.check(key, question.bucket());
    }
  }

  /** Refuses what is no key of a row before it is read: the store has more than rows. */
  private static void checkKinds(LookupQuestion question, KeyRouting routing) {
    for (byte[] key : question.keys()) {
      if (key.length == 0 || key[0] != KeyEncoder.ROW_PREFIX) {
        routing.check(key, question.bucket());
      }
    }
  }

  /** Checks the keys without a row: one that has a row in its bucket needs no check. */
  private static void check(
      LookupQuestion question, KeyRouting routing, List<byte @Nullable []> values) {
    for (int i = 0; i < values.size(); i++) {
      if (values.get(i) == null) {
        routing.check(question.keys().get(i), question.bucket());
      }
    }
  }

  // Whole keys

  private void rows(TableBucket bucket, List<LookupQuestion> questions) {
    Replica replica;
    KeyRouting routing;
    try {
      replica = lookups.replica(bucket);
      replica.requireLeader();
      routing = tables.keys(replica.table());
    } catch (RuntimeException e) {
      questions.forEach(question -> refuse(question, e));
      return;
    }
    List<LookupQuestion> shared = new ArrayList<>();
    int keys = 0;
    for (LookupQuestion question : questions) {
      if (!isOfRows(question, routing)) {
        continue;
      }
      if (!shared.isEmpty() && keys + question.keys().size() > SHARED_KEYS) {
        read(replica, routing, shared);
        shared = new ArrayList<>();
        keys = 0;
      }
      shared.add(question);
      keys += question.keys().size();
    }
    if (!shared.isEmpty()) {
      read(replica, routing, shared);
    }
  }

  private boolean isOfRows(LookupQuestion question, KeyRouting routing) {
    try {
      checkKinds(question, routing);
      return true;
    } catch (SluiceException wrong) {
      refuse(question, wrong);
      return false;
    }
  }

  /** Answers questions about keys of one bucket by one read. */
  private void read(Replica replica, KeyRouting routing, List<LookupQuestion> questions) {
    List<byte[]> keys = questions.get(0).keys();
    if (questions.size() > 1) {
      keys = new ArrayList<>(SHARED_KEYS);
      for (LookupQuestion question : questions) {
        keys.addAll(question.keys());
      }
    }
    List<byte @Nullable []> values;
    try {
      values = lookups.read(replica, keys);
    } catch (RuntimeException e) {
      boolean tooLarge =
          e instanceof SluiceException known && known.code() == ErrorCode.BATCH_TOO_LARGE;
      if (tooLarge && questions.size() > 1) {
        questions.forEach(question -> read(replica, routing, List.of(question)));
      } else {
        questions.forEach(question -> refuse(question, e));
      }
      return;
    }
    int from = 0;
    for (LookupQuestion question : questions) {
      int to = from + question.keys().size();
      answerRows(question, replica.table(), routing, values.subList(from, to));
      from = to;
    }
  }

  private void answerRows(
      LookupQuestion question,
      HostedTable table,
      KeyRouting routing,
      List<byte @Nullable []> values) {
    try {
      check(question, routing, values);
      answerRows(question, table, values, List.of());
    } catch (RuntimeException wrong) {
      refuse(question, wrong);
    }
  }

  private void answerRows(
      LookupQuestion question,
      HostedTable table,
      List<byte @Nullable []> values,
      List<Integer> missing) {
    out.accept(
        new LookupAnswer(
            question.requestId(),
            tables.inSchema(question.schemaId(), table, values),
            List.of(),
            missing,
            null));
  }

  // Prefixes

  private void prefixes(LookupQuestion question) {
    Replica replica = lookups.replica(bucket(question));
    replica.requireLeader();
    check(question, tables.prefixes(replica.table()));
    PrefixRows rows = lookups.readPrefixes(replica, question.keys(), question.limit());
    out.accept(
        new LookupAnswer(
            question.requestId(),
            tables.inSchema(question.schemaId(), replica.table(), rows.values()),
            rows.counts(),
            List.of(),
            null));
  }

  // Rows that are made when they do not exist

  private void insertIfAbsent(LookupQuestion question) {
    Replica replica = lookups.replica(bucket(question));
    replica.requireLeader();
    check(question, tables.keys(replica.table()));
    InsertingRead read = new InsertingRead(lookups, replica, question.keys());
    advance(new PendingInsert(question, replica.table(), read));
  }

  /** Goes on with a question whose rows have been made, or have not. */
  void resume(PendingInsert insert) {
    try {
      advance(insert);
    } catch (RuntimeException e) {
      refuse(insert.question(), e);
    }
  }

  private void advance(PendingInsert insert) {
    InsertingRead read = insert.read();
    if (read.isComplete()) {
      answerRows(insert.question(), insert.table(), read.values(), read.missing());
    } else {
      begun.run();
      read.make(() -> made.accept(insert));
    }
  }

  // Refusals

  private void refuse(LookupQuestion question, RuntimeException why) {
    out.accept(LookupAnswer.refused(question.requestId(), failure(why, question)));
  }

  private static SluiceException failure(RuntimeException why, LookupQuestion question) {
    SluiceException failure = StatusMapping.fromStatus(why);
    if (failure.code() == ErrorCode.INTERNAL) {
      log.error("A lookup in {} failed", bucket(question), why);
    }
    return failure;
  }
}
