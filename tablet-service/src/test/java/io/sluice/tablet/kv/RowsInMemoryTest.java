package io.sluice.tablet.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.TableBucket;
import io.sluice.format.row.KeyEncoder;
import io.sluice.format.row.Row;
import io.sluice.format.row.RowCodec;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads that need no file, and reads of several prefixes. */
final class RowsInMemoryTest {
  private static final TableSchema SCHEMA =
      new TableSchema(
          1,
          List.of(
              Column.of(1, "group", new DataType.StringType(), false),
              Column.of(2, "id", new DataType.IntegerType(32), false),
              Column.of(3, "text", new DataType.StringType(), true)),
          List.of("group", "id"));
  private static final RowCodec CODEC = RowCodec.of(SCHEMA);

  @TempDir private Path temp;
  private final KvResources resources = KvResources.open(KvFixture.settings());

  @AfterEach
  void close() {
    resources.close();
  }

  private KvStore open() {
    return open(resources);
  }

  private KvStore open(KvResources resources) {
    return KvStore.open(resources, TableBucket.of(7, 1), temp.resolve("kv"), () -> {});
  }

  private static byte[] key(String group, int id) {
    return KeyEncoder.of(SCHEMA).encode(Row.of(group, id, null));
  }

  private static byte[] prefix(String group) {
    return KeyEncoder.of(SCHEMA, List.of("group")).encode(Row.of(group, 0, null));
  }

  /** Rows of groups in no order, changed at the time of their id. */
  private static void load(KvStore store, String... groups) {
    List<KvChange> changes = new ArrayList<>();
    int offset = 0;
    for (int id = 9; id >= 0; id--) {
      for (String group : groups) {
        byte[] value = CODEC.encode(Row.of(group, id, "text " + id), id);
        changes.add(new KvChange(new RowKey(key(group, id)), value, offset++, 1));
      }
    }
    store.apply(new KvBatch(changes, 0, offset));
  }

  private static List<Integer> ids(PrefixRows rows) {
    List<Integer> ids = new ArrayList<>();
    rows.values().forEach(value -> ids.add(CODEC.decode(value).getInt(1)));
    return ids;
  }

  @Test
  void tellsWhatIsInMemoryAndWhatIsNot() {
    KvStore store = open();
    // More than one block: opening reads the one of the position.
    String[] groups = new String[200];
    for (int i = 0; i < groups.length; i++) {
      groups[i] = "group " + (100 + i);
    }
    load(store, groups);
    byte[] last = key("group 299", 3);
    assertThat(store.getFromMemory(last)).isEqualTo(store.get(last));
    assertThat(store.getFromMemory(key("zz", 3))).isNull();
    store.close();
    try (KvResources cold = KvResources.open(KvFixture.settings())) {
      KvStore reopened = open(cold);
      assertThat(reopened.getFromMemory(last)).isSameAs(KvStore.NOT_IN_MEMORY);
      byte[] row = reopened.get(last);
      assertThat(row).isNotNull();
      assertThat(reopened.getFromMemory(last)).isEqualTo(row);
      RowsView view = RowsView.of(reopened, Duration.ofMillis(5), 8);
      assertThat(view.getFromMemory(last)).isNull();
      assertThat(view.getFromMemory(key("group 299", 4))).isNotNull();
    }
  }

  @Test
  void severalPrefixesAreReadInTheirOrder() {
    KvStore store = open();
    load(store, "a", "ab", "b");
    RowsView rows = RowsView.of(store, Duration.ZERO, 0);
    List<byte[]> prefixes = List.of(prefix("b"), prefix("none"), prefix("a"), prefix("b"));
    PrefixRows all = rows.prefixes(prefixes, 0, 1 << 20);
    assertThat(all.counts()).containsExactly(10, 0, 10, 10);
    assertThat(ids(all).subList(0, 10)).isSorted().startsWith(0).endsWith(9);
    PrefixRows some = rows.prefixes(prefixes, 2, 1 << 20);
    assertThat(some.counts()).containsExactly(2, 0, 2, 2);
    assertThat(ids(some)).containsExactly(0, 1, 0, 1, 0, 1);
    assertThat(rows.prefixes(List.of(), 0, 1).counts()).isEmpty();
  }

  @Test
  void expiredRowsCountForNothing() {
    KvStore store = open();
    load(store, "a", "b");
    RowsView rows = RowsView.of(store, Duration.ofMillis(5), 12);
    PrefixRows found = rows.prefixes(List.of(prefix("a"), prefix("b")), 1, 1 << 20);
    assertThat(ids(found)).containsExactly(8, 8);
    assertThat(rows.prefixes(List.of(prefix("a")), 0, 1 << 20).counts()).containsExactly(2);
  }

  @Test
  void theirBytesAreBoundedButForOneRow() {
    KvStore store = open();
    load(store, "a");
    RowsView rows = RowsView.of(store, Duration.ZERO, 0);
    assertThat(rows.prefixes(List.of(prefix("a")), 1, 1).counts()).containsExactly(1);
    assertThatThrownBy(() -> rows.prefixes(List.of(prefix("a")), 0, 100))
        .hasMessageContaining("more than the 100 bytes")
        .hasMessageContaining("with a limit");
  }
}
