package io.sluice.tablet.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.SluiceException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class PreWriteBufferTest {
  private final PreWriteBuffer buffer = new PreWriteBuffer(10);

  @Test
  void handsOutChangesBelowCommittedInOffsetOrder() {
    add("a", "1", 10);
    add("b", "2", 12);
    add("a", null, 13);
    buffer.extendTo(20);

    assertThat(buffer.below(10)).isNull();
    KvBatch first = buffer.below(13);
    assertThat(show(first)).containsExactly("a=1@10", "b=2@12");
    assertThat(first.endOffset()).isEqualTo(13);
    buffer.applied(first);
    assertThat(newest("b")).isNull();
    assertThat(newest("a")).isEqualTo("null");

    KvBatch rest = buffer.below(99);
    assertThat(show(rest)).containsExactly("a=null@13");
    assertThat(rest.endOffset()).isEqualTo(20);
    buffer.applied(rest);
    assertThat(buffer.below(99)).isNull();
    assertThat(buffer.bytes()).isZero();
    assertThat(buffer.size()).isZero();
    assertThat(newest("a")).isNull();
  }

  @Test
  void keepsChangesUntilTheyAreApplied() {
    add("a", "1", 10);
    buffer.below(11);
    assertThat(newest("a")).isEqualTo("1");
    assertThat(show(buffer.below(11))).containsExactly("a=1@10");
  }

  @Test
  void commitWithoutChangesStillMovesTheStore() {
    buffer.extendTo(15);
    KvBatch batch = buffer.below(12);
    assertThat(batch.size()).isZero();
    assertThat(batch.endOffset()).isEqualTo(12);
  }

  @Test
  void truncationBringsBackTheOlderChange() {
    add("a", "1", 10);
    add("a", "2", 11);
    add("b", "3", 12);
    add("a", null, 13);
    buffer.truncate(12);
    assertThat(newest("a")).isEqualTo("2");
    assertThat(newest("b")).isNull();
    assertThat(buffer.endOffset()).isEqualTo(12);
    add("a", "4", 12);
    assertThat(show(buffer.below(99))).containsExactly("a=1@10", "a=2@11", "a=4@12");
    buffer.truncate(10);
    assertThat(newest("a")).isNull();
    assertThat(buffer.bytes()).isZero();
  }

  @Test
  void truncationAfterTheOlderChangeWasAppliedLeavesTheStoreToAnswer() {
    add("a", "1", 10);
    add("a", "2", 11);
    buffer.applied(buffer.below(11));
    buffer.truncate(11);
    assertThat(newest("a")).isNull();
  }

  @Test
  void refusesWhatIsOutOfOrder() {
    add("a", "1", 12);
    assertThatThrownBy(() -> add("b", "2", 12)).isInstanceOf(SluiceException.class);
    assertThatThrownBy(() -> buffer.truncate(9))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("built anew");
  }

  @Test
  void batchesAreBoundedInBytes() {
    byte[] value = new byte[1024 * 1024];
    for (int i = 0; i < 10; i++) {
      buffer.add(new KvChange(key("k" + i), value, 10 + i, 1));
    }
    int batches = 0;
    for (KvBatch batch = buffer.below(99); batch != null; batch = buffer.below(99)) {
      assertThat(batch.size()).isLessThan(6);
      buffer.applied(batch);
      batches++;
    }
    assertThat(batches).isEqualTo(3);
    assertThat(buffer.startOffset()).isEqualTo(20);
  }

  private void add(String key, @Nullable String value, long offset) {
    buffer.add(new KvChange(key(key), value == null ? null : value.getBytes(), offset, 0));
  }

  private static RowKey key(String key) {
    return new RowKey(key.getBytes());
  }

  private @Nullable String newest(String key) {
    KvChange change = buffer.newest(key(key));
    return change == null ? null : change.value() == null ? "null" : new String(change.value());
  }

  private static List<String> show(KvBatch batch) {
    return batch.changes().stream()
        .map(
            change ->
                new String(change.key().bytes())
                    + "="
                    + (change.value() == null ? null : new String(change.value()))
                    + "@"
                    + change.offset())
        .toList();
  }
}
