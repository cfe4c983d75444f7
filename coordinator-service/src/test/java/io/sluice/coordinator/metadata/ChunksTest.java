package io.sluice.coordinator.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ChunksTest {
  @Test
  void isTheListItWasMadeFrom() {
    for (int size : new int[] {0, 1, 127, 128, 129, 1000}) {
      List<Integer> plain = IntStream.range(0, size).boxed().toList();
      Chunks<Integer> chunks = Chunks.copyOf(plain);
      assertThat(chunks).isEqualTo(plain);
      assertThat(plain).isEqualTo(chunks);
      assertThat(chunks).hasSameHashCodeAs(plain);
      assertThat(Chunks.copyOf(chunks)).isSameAs(chunks);
    }
  }

  @Test
  void aChangedCopyLeavesTheListAlone() {
    List<Integer> plain = new ArrayList<>(IntStream.range(0, 300).boxed().toList());
    Chunks<Integer> before = Chunks.copyOf(plain);
    Chunks.Edit<Integer> edit = before.edit();
    edit.set(0, -1);
    edit.set(299, -2);
    edit.set(299, -3);
    Chunks<Integer> after = edit.done();
    assertThat(before).isEqualTo(plain);
    plain.set(0, -1);
    plain.set(299, -3);
    assertThat(after).isEqualTo(plain);
    assertThat(before.edit().done()).as("nothing was replaced").isSameAs(before);
  }

  @Test
  void knowsItsBounds() {
    Chunks<Integer> chunks = Chunks.copyOf(List.of(1, 2, 3));
    assertThatThrownBy(() -> chunks.get(3)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> chunks.edit().set(3, 1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> Chunks.copyOf(Arrays.asList(1, null)))
        .isInstanceOf(NullPointerException.class);
  }
}
