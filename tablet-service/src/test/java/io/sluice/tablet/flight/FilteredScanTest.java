package io.sluice.tablet.flight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.format.row.Row;
import io.sluice.protocol.flight.v1.BucketScan;
import io.sluice.protocol.flight.v1.Command;
import io.sluice.protocol.flight.v1.EndAt;
import io.sluice.protocol.flight.v1.ScanMetadata;
import io.sluice.protocol.flight.v1.ScanTicket;
import io.sluice.protocol.flight.v1.StartAt;
import io.sluice.protocol.metadata.v1.TableInfo;
import io.sluice.tablet.flight.ScannedTable.Message;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.memory.BufferAllocator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Scans with conditions: what is skipped, what is chosen, and where they say to go on. */
final class FilteredScanTest {
  private FlightHarness harness;
  private FlightClient client;
  private FakeReplica replica;
  private ScannedTable events;

  @BeforeEach
  void open() throws Exception {
    harness = new FlightHarness();
    TableInfo table = harness.createEvents(1);
    client = harness.client();
    replica = harness.replica(table, 0);
    events = new ScannedTable(harness, client);
  }

  @AfterEach
  void close() throws Exception {
    harness.close();
  }

  private static ScanTicket.Builder ticket(String filter) {
    return ScanTicket.newBuilder().setDatabase("demo").setTable("events").setFilter(filter);
  }

  private static List<List<Object>> rows(long from, long to, LongPredicate wanted) {
    return LongStream.range(from, to).filter(wanted).mapToObj(Events::row).toList();
  }

  @Test
  void batchesThatStatisticsRuleOutAreNotSentAndTheirBodiesAreNotRead() {
    for (int i = 0; i < 10; i++) {
      events.store(replica, 1000L * i, 1000L * (i + 1));
    }
    long before = replica.bytesRead();
    List<Message> all = events.messages(ticket(""));
    long whole = replica.bytesRead() - before;
    assertThat(all).hasSize(10);
    List<Message> some = events.messages(ticket("id BETWEEN 3500 AND 3600"));
    assertThat(ScannedTable.rows(some)).isEqualTo(rows(3000, 4000, id -> true));
    assertThat(some).hasSize(1);
    assertThat(some.get(0).metadata().getBaseOffset()).isEqualTo(3000);
    assertThat(some.get(0).metadata().getNextOffset()).isEqualTo(4000);
    assertThat(replica.bytesRead() - before - whole).isLessThan(whole / 4);
    assertThat(events.messages(ticket("id < 0 OR amount > 1e6"))).isEmpty();
    assertThat(ScannedTable.rows(events.messages(ticket("id < 0 OR name IS NULL"))))
        .hasSize(10_000);
  }

  @Test
  void exactScansSendTheRowsThatFulfilTheCondition() {
    events.store(replica, 0, 1000);
    events.store(replica, 1000, 2000);
    events.store(replica, 2000, 2010);
    List<String> conditions =
        List.of("id >= 990 AND id < 1010", "name IS NULL", "amount = 250.25 OR id = 7", "TRUE");
    List<LongPredicate> expected =
        List.of(
            id -> id >= 990 && id < 1010,
            id -> id % 7 == 0,
            id -> id == 1001 || id == 7,
            id -> true);
    for (int i = 0; i < conditions.size(); i++) {
      List<Message> found = events.messages(ticket(conditions.get(i)).setExactFilter(true));
      assertThat(ScannedTable.rows(found))
          .as(conditions.get(i))
          .isEqualTo(rows(0, 2010, expected.get(i)));
    }
  }

  @Test
  void theConditionMayBeOnColumnsThatAreNotReturned() {
    events.store(replica, 0, 500);
    List<Message> found =
        events.messages(
            ticket("amount >= 100 AND name LIKE 'name-4_1'")
                .setExactFilter(true)
                .addColumns("id")
                .setWithOffset(true));
    assertThat(ScannedTable.rows(found))
        .isEqualTo(
            LongStream.range(400, 500)
                .filter(id -> id % 10 == 1 && id % 7 != 0)
                .mapToObj(id -> List.<Object>of(id, id))
                .toList());
  }

  @Test
  void withoutAnyColumnTheRowsThatFulfilItAreCounted() {
    events.store(replica, 0, 500);
    events.store(replica, 500, 600);
    ScanTicket.Builder none = ticket("name IS NULL").setNoColumns(true);
    assertThat(ScannedTable.rowCount(events.messages(none.setExactFilter(true)))).isEqualTo(86);
    assertThat(ScannedTable.rowCount(events.messages(none.setExactFilter(false)))).isEqualTo(600);
    assertThat(ScannedTable.rowCount(events.messages(none.clearFilter()))).isEqualTo(600);
  }

  @Test
  void aScanGoesOnAtTheNextOffsetOfAnyMessage() {
    for (int i = 0; i < 6; i++) {
      events.store(replica, 100L * i, 100L * (i + 1));
    }
    ScanTicket.Builder exact =
        ticket("id >= 150 AND id < 460 AND name IS NULL").setExactFilter(true);
    List<List<Object>> whole = ScannedTable.rows(events.messages(exact));
    for (long limit : new long[] {1, 2, 7, 15, 100}) {
      List<List<Object>> pieces = new ArrayList<>();
      long at = 0;
      for (int guard = 0; guard < 200; guard++) {
        List<Message> some =
            events.messages(exact.clearBuckets().addBuckets(from(at)).setLimit(limit));
        if (some.isEmpty()) {
          break;
        }
        List<List<Object>> rows = ScannedTable.rows(some);
        assertThat(rows.size()).isLessThanOrEqualTo((int) limit);
        pieces.addAll(rows);
        at = some.get(some.size() - 1).metadata().getNextOffset();
      }
      assertThat(pieces).as("limit %d", limit).isEqualTo(whole);
    }
  }

  private static BucketScan.Builder from(long offset) {
    return BucketScan.newBuilder().setStartAt(StartAt.START_OFFSET).setStart(offset);
  }

  @Test
  void whatWasSkippedIsToldToReadersThatAskForProgress() {
    for (int i = 0; i < 200; i++) {
      events.store(replica, i, i + 1L);
    }
    for (boolean exact : new boolean[] {false, true}) {
      ScanTicket.Builder ticket =
          ticket("id = 3 OR id = 77").setExactFilter(exact).setProgress(true);
      List<ScanMetadata> told = events.rawMetadata(ticket);
      assertThat(told.get(told.size() - 1).getNextOffset()).isEqualTo(200);
      assertThat(told).extracting(ScanMetadata::getNextOffset).isSorted().contains(4L, 78L);
      assertThat(told.size()).isBetween(4, 8);
    }
    // A stock reader stops at a message without rows, and gets none unless it asks.
    assertThat(events.messages(ticket("id = 3"))).hasSize(1);
  }

  @Test
  void aFollowerIsToldOfRowsByPushAndOfWhatItDoesNotWant() throws Exception {
    RawCall call =
        events.rawCall(
            ticket("id = 5")
                .setExactFilter(true)
                .setProgress(true)
                .addBuckets(from(0).setEndAt(EndAt.END_NONE)));
    events.store(replica, 0, 3);
    events.await(call, told -> told.getNextOffset() == 3);
    events.store(replica, 3, 10);
    events.await(call, told -> told.getBaseOffset() == 5 && told.getNextOffset() == 10);
    events.store(replica, 10, 12);
    events.await(call, told -> told.getNextOffset() == 12);
    call.cancel();
  }

  @Test
  void theScanEndsOnceSoManyBytesWereSent() {
    for (int i = 0; i < 5; i++) {
      events.store(replica, 1000L * i, 1000L * (i + 1));
    }
    assertThat(events.messages(ticket("").setMaxBytes(1))).hasSize(1);
    int each = ScannedTable.rowCount(events.messages(ticket("").setMaxBytes(9_000)));
    assertThat(each).isBetween(1000, 4000);
    assertThat(events.messages(ticket("").setMaxBytes(1 << 30))).hasSize(5);
  }

  /** Stores names of so many letters, with ids from 0 on, as one batch, which compresses well. */
  private void storeNames(int... letters) {
    Row[] rows = new Row[letters.length];
    for (int id = 0; id < rows.length; id++) {
      rows[id] = Row.of((long) id, "x".repeat(letters[id]), null);
    }
    events.store(replica, FlightHarness.eventsSchema(), rows);
  }

  private static List<Object> ids(List<Message> messages) {
    return ScannedTable.rows(messages).stream().map(row -> row.get(0)).toList();
  }

  private static List<Object> ids(long from, long to, LongPredicate wanted) {
    return LongStream.range(from, to).filter(wanted).<Object>mapToObj(id -> id).toList();
  }

  @Test
  void partsOfALargeBatchComeInMessagesThatMostClientsTakeIn() {
    int mebibyte = 1 << 20;
    int[] letters = new int[12];
    Arrays.fill(letters, mebibyte);
    storeNames(letters);
    List<ScanTicket.Builder> tickets =
        List.of(
            ticket("").addBuckets(from(1)),
            ticket("").setLimit(11),
            ticket("").addBuckets(from(0).setEndAt(EndAt.END_OFFSET).setEnd(10)),
            ticket("id > 2").setExactFilter(true),
            ticket("id <> 3 AND id <> 8").setExactFilter(true),
            ticket("id <> 3 AND id <> 8").setExactFilter(true).setLimit(9));
    List<List<Object>> expected =
        List.of(
            ids(1, 12, id -> true),
            ids(0, 11, id -> true),
            ids(0, 10, id -> true),
            ids(3, 12, id -> true),
            ids(0, 12, id -> id != 3 && id != 8),
            ids(0, 11, id -> id != 3 && id != 8));
    for (int i = 0; i < tickets.size(); i++) {
      ScanTicket.Builder ticket = tickets.get(i);
      List<Message> messages = events.messages(ticket);
      assertThat(ids(messages)).as("scan %d", i).isEqualTo(expected.get(i));
      assertThat(messages).hasSizeBetween(3, 5);
      assertThat(events.rawSizes(ticket)).allMatch(size -> size < 4 * mebibyte);
      for (int next = 1; next < messages.size(); next++) {
        assertThat(messages.get(next).metadata().getBaseOffset())
            .isGreaterThanOrEqualTo(messages.get(next - 1).metadata().getNextOffset());
      }
      assertThat(events.messages(ticket.addColumns("id"))).hasSize(1);
    }
  }

  @Test
  void aRowThatIsLargeByItselfHasAMessageOfItsOwn() {
    int mebibyte = 1 << 20;
    storeNames(10, 5 * mebibyte, 10, 10, 6 * mebibyte, 10);
    for (ScanTicket.Builder ticket :
        List.of(ticket("").setLimit(5), ticket("id < 3 OR id = 4").setExactFilter(true))) {
      assertThat(events.messages(ticket)).extracting(Message::rowCount).startsWith(1, 1);
      assertThat(ScannedTable.rowCount(events.messages(ticket))).isBetween(4, 5);
    }
  }

  @Test
  void aScanGoesOnAtTheNextOffsetOfAPieceOfABatch() {
    int[] letters = new int[8];
    Arrays.fill(letters, 1 << 20);
    storeNames(letters);
    events.store(replica, 8, 10);
    List<Object> found = new ArrayList<>();
    for (long at = 0; at < 10; ) {
      Message first =
          events
              .messages(ticket("id <> 1").setExactFilter(true).addBuckets(from(at)).setMaxBytes(1))
              .get(0);
      found.addAll(ids(List.of(first)));
      at = first.metadata().getNextOffset();
    }
    assertThat(found).isEqualTo(ids(0, 10, id -> id != 1));
  }

  @Test
  void aScanThatFindsNoMemoryMayBeTriedAgain() {
    events.store(replica, 0, 50_000);
    ScanTicket.Builder exact = ticket("id < 10 OR id > 49990").setExactFilter(true);
    BufferAllocator memory = harness.tablet().allocator;
    long enough = memory.getLimit();
    memory.setLimit(64 << 10);
    assertThatThrownBy(() -> events.messages(exact))
        .isInstanceOfSatisfying(
            FlightRuntimeException.class,
            e -> assertThat(e.status().code()).isEqualTo(FlightStatusCode.RESOURCE_EXHAUSTED))
        .hasMessageContaining("sluice.tablet.allocator-bytes")
        .hasMessageContaining("try again");
    memory.setLimit(enough);
    assertThat(ScannedTable.rowCount(events.messages(exact))).isEqualTo(19);
  }

  @Test
  void wrongConditionsAreRefusedBeforeTheStreamStarts() {
    assertThatThrownBy(() -> events.messages(ticket("delay > 5")))
        .hasMessageContaining("column 'delay' does not exist; the columns are id, name, amount");
    assertThatThrownBy(() -> events.messages(ticket("").setExactFilter(true)))
        .hasMessageContaining("exact_filter and has no filter");
    assertThatThrownBy(() -> events.messages(ticket("").setMaxBytes(-1)))
        .hasMessageContaining("max_bytes is -1");
    assertThatThrownBy(
            () ->
                client.getInfo(
                    FlightDescriptor.command(
                        Command.newBuilder().setScan(ticket("id = 'x'")).build().toByteArray())))
        .hasMessageContaining("cannot be compared with text 'x'");
  }

  @Test
  void manyChosenRowsLeaveNoMemoryBehind() {
    for (int i = 0; i < 20; i++) {
      events.store(replica, 500L * i, 500L * (i + 1));
    }
    assertThat(
            ScannedTable.rowCount(
                events.messages(ticket("NOT (name LIKE '%3%')").setExactFilter(true))))
        .isGreaterThan(1000);
    harness.tablet().awaitIdle();
  }
}
