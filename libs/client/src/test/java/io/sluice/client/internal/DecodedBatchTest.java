package io.sluice.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.TableBucket;
import io.sluice.format.batch.ChangeType;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.Test;

class DecodedBatchTest {
  private static DecodedBatch batch(RootAllocator allocator, String column, String... texts) {
    VarCharVector vector = new VarCharVector(column, allocator);
    for (int i = 0; i < texts.length; i++) {
      vector.setSafe(i, texts[i].getBytes(StandardCharsets.UTF_8));
    }
    vector.setValueCount(texts.length);
    return new DecodedBatch(
        TableBucket.of(1, 0), 0, texts.length, 0, new VectorSchemaRoot(List.of(vector)));
  }

  @Test
  void readsChangeTypesFromTheirColumn() {
    try (RootAllocator allocator = new RootAllocator();
        DecodedBatch batch = batch(allocator, "_change_type", "+I", "-U", "+U", "-D", "+A")) {
      assertThat(batch.changeTypes())
          .containsExactly(
              ChangeType.INSERT,
              ChangeType.UPDATE_BEFORE,
              ChangeType.UPDATE_AFTER,
              ChangeType.DELETE,
              ChangeType.APPEND);
    }
  }

  @Test
  void withoutTheColumnItSaysHowToAskForIt() {
    try (RootAllocator allocator = new RootAllocator();
        DecodedBatch batch = batch(allocator, "text", "+I")) {
      assertThatThrownBy(batch::changeTypes).hasMessageContaining("withChangeType()");
    }
  }
}
