package io.sluice.tablet.lookup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.TableSchema;
import io.sluice.protocol.kv.v1.LookupKind;
import io.sluice.protocol.lookup.LookupAnswer;
import io.sluice.protocol.lookup.LookupQuestion;
import io.sluice.tablet.kv.KvResources;
import io.sluice.tablet.kv.KvSettings;
import io.sluice.tablet.kv.KvStore;
import io.sluice.tablet.kv.RowsView;
import io.sluice.tablet.kv.StoreRows;
import io.sluice.tablet.replica.AppendCallback;
import io.sluice.tablet.replica.AppendRequest;
import io.sluice.tablet.replica.BatchCursor;
import io.sluice.tablet.replica.HostedTable;
import io.sluice.tablet.replica.Replica;
import io.sluice.tablet.replica.ReplicaOffsets;
import io.sluice.tablet.replica.Replicas;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** No answer is given by a server that lost the lease before the end of the read. */
final class LookupLeaseTest {
  private static final TableBucket BUCKET = TableBucket.of(7, 0);
  private static final int MIB = 1 << 20;
  private static final int ROWS = 10;

  @TempDir private Path temp;
  private KvResources resources;
  private KvStore store;
  private LeasedReplica replica;
  private RowLookups lookups;

  @BeforeEach
  void open() {
    resources = KvResources.open(new KvSettings(16 * MIB, 8 * MIB, MIB, 32, 1, 60_000, MIB));
    store = KvStore.open(resources, BUCKET, temp.resolve("kv"), () -> {});
    StoreRows.put(store, 0, ROWS, "row ");
    replica = new LeasedReplica();
    lookups = new RowLookups(new OneReplica(replica), new KvMeters(new SimpleMeterRegistry()), 1);
  }

  @AfterEach
  void close() {
    lookups.close();
    resources.close();
  }

  /** Its lease ends while rows are being read, when a test says so. */
  private final class LeasedReplica implements Replica {
    private final HostedTable table =
        new HostedTable(
            BUCKET.tableId(),
            TablePath.parse("demo.leased"),
            List.of(
                new TableSchema(
                    1,
                    List.of(
                        Column.of(1, "k", DataTypeParser.parse("INT"), false),
                        Column.of(2, "a", DataTypeParser.parse("STRING"), true)),
                    List.of("k"))),
            1,
            List.of("k"),
            Map.of());
    private boolean endsWithTheNextRead;
    private boolean lost;
    private int asked;

    @Override
    public RowsView requireRows() {
      lost |= endsWithTheNextRead;
      return RowsView.of(store, Duration.ZERO, 0);
    }

    @Override
    public void requireLease() {
      asked++;
      if (lost) {
        throw new SluiceException(ErrorCode.LEADER_NOT_READY, "Another server may lead by now");
      }
    }

    @Override
    public void insertMissing(List<byte[]> encodedKeys, AppendCallback callback) {
      StoreRows.put(store, ROWS, ROWS + 1, "made ");
      callback.stored(store.appliedOffset() - 1, false, 1);
    }

    @Override
    public TableBucket bucket() {
      return BUCKET;
    }

    @Override
    public HostedTable table() {
      return table;
    }

    @Override
    public int requireLeader() {
      return 1;
    }

    @Override
    public ReplicaOffsets offsets() {
      throw new UnsupportedOperationException();
    }

    @Override
    public long sizeBytes() {
      return 0;
    }

    @Override
    public void append(AppendRequest request, AppendCallback callback) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long writerSequence(long writerId, int writerEpoch) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long offsetForTime(long epochMs) {
      throw new UnsupportedOperationException();
    }

    @Override
    public BatchCursor openCursor(long startOffset) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void addListener(Runnable listener) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void removeListener(Runnable listener) {
      throw new UnsupportedOperationException();
    }
  }

  private record OneReplica(Replica replica) implements Replicas {
    @Override
    public Replica require(TableBucket bucket) {
      return replica;
    }

    @Override
    public Collection<Replica> ofTable(long tableId) {
      return List.of(replica);
    }

    @Override
    public Collection<Replica> all() {
      return List.of(replica);
    }

    @Override
    public @Nullable HostedTable table(long tableId) {
      return replica.table();
    }

    @Override
    public @Nullable HostedTable table(TablePath path) {
      return replica.table();
    }
  }

  private static List<byte[]> keys(int... numbers) {
    return Arrays.stream(numbers).mapToObj(StoreRows::key).toList();
  }

  private static void assertNotReady(ThrowingCallable read) {
    assertThatThrownBy(read)
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LEADER_NOT_READY));
  }

  @Test
  void readsAreAnsweredUnderTheLease() {
    assertThat(lookups.read(BUCKET, keys(1, 2, 99))).hasSize(3);
    assertThat(replica.asked).isEqualTo(1);
    assertThat(lookups.read(BUCKET, keys(1, 2, 3, 4, 5, 6))).hasSize(6).doesNotContainNull();
    assertThat(replica.asked).isEqualTo(2);
    assertThat(lookups.readPrefixes(BUCKET, keys(3), 0).values()).hasSize(1);
    assertThat(replica.asked).isEqualTo(3);
  }

  @Test
  void aLeaseThatEndsDuringAReadEndsTheAnswer() {
    replica.endsWithTheNextRead = true;
    assertNotReady(() -> lookups.read(BUCKET, keys(1)));
    assertNotReady(() -> lookups.read(BUCKET, keys(1, 2, 3, 4, 5, 6)));
    assertNotReady(() -> lookups.readPrefixes(BUCKET, keys(1), 0));
    assertNotReady(() -> lookups.readOrInsert(BUCKET, keys(1)).isComplete());
  }

  @Test
  void rowsThatWereMadeAreAnsweredUnderTheLeaseToo() {
    InsertingRead read = lookups.readOrInsert(BUCKET, keys(1, ROWS));
    assertThat(read.isComplete()).isFalse();
    read.make(() -> {});
    replica.endsWithTheNextRead = true;
    assertNotReady(read::isComplete);
  }

  @Test
  void soAreQuestionsOfTheService() {
    List<LookupAnswer> answers = new ArrayList<>();
    LookupTurn turn = new LookupTurn(lookups, answers::add, () -> {}, made -> {});
    LookupQuestion row = question(1, LookupKind.LOOKUP_ROW);
    LookupAnswer inMemory = Objects.requireNonNull(turn.fromMemory(row));
    assertThat(inMemory.error()).isNull();
    assertThat(inMemory.values()).hasSize(1).doesNotContainNull();
    turn.answer(List.of(row));
    assertThat(answers.get(0).error()).isNull();
    replica.endsWithTheNextRead = true;
    inMemory = Objects.requireNonNull(turn.fromMemory(row));
    assertThat(Objects.requireNonNull(inMemory.error()).getCode()).isEqualTo("LEADER_NOT_READY");
    turn.answer(List.of(row, question(2, LookupKind.LOOKUP_INSERT_IF_ABSENT)));
    assertThat(answers)
        .hasSize(3)
        .last()
        .satisfies(
            last ->
                assertThat(Objects.requireNonNull(last.error()).getCode())
                    .isEqualTo("LEADER_NOT_READY"));
  }

  private static LookupQuestion question(long id, LookupKind kind) {
    return new LookupQuestion(id, BUCKET.tableId(), 0, 0, keys(1), 0, kind, 0);
  }
}
