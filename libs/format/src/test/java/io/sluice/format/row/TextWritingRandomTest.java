package io.sluice.format.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.SluiceException;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.TableSchema;
import io.sluice.testkit.Seeds;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.Test;

/** Texts short and long, of every kind of character, against the platform's own encoder. */
class TextWritingRandomTest {
  private static final int TEXTS = 200;
  private static final int LONGEST = 100;
  private static final TableSchema SCHEMA = TestValues.schema(true, "STRING");

  @Test
  void writesWhatUtf8HoldsAndRefusesHalvesOfPairs() {
    Seeds.run(20, TextWritingRandomTest::run);
  }

  private static void run(long seed, SplittableRandom random) {
    try (BufferAllocator allocator = new RootAllocator();
        VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(SCHEMA), allocator)) {
      ColumnWriters writers = ColumnWriters.of(SCHEMA, root, 1);
      List<String> written = new ArrayList<>();
      for (int i = 0; i < TEXTS; i++) {
        String text = text(random);
        if (hasHalfPair(text)) {
          assertThatThrownBy(() -> writers.setString(0, text))
              .as(escaped(text))
              .isInstanceOf(SluiceException.class)
              .hasMessageContaining("half of a surrogate pair");
          writers.abortRow();
        } else {
          writers.setString(0, text);
          writers.endRow();
          written.add(text);
        }
      }
      VarCharVector vector = (VarCharVector) writers.finish().getVector(0);
      for (int row = 0; row < written.size(); row++) {
        assertThat(vector.get(row))
            .as(escaped(written.get(row)))
            .isEqualTo(written.get(row).getBytes(StandardCharsets.UTF_8));
      }
    }
  }

  /** Mostly ASCII with question marks; some texts with others, some with halves of pairs. */
  private static String text(SplittableRandom random) {
    int length = random.nextInt(LONGEST);
    int kinds = 1 + random.nextInt(5);
    StringBuilder text = new StringBuilder();
    while (text.length() < length) {
      switch (random.nextInt(8) == 0 ? random.nextInt(kinds) : -1) {
        case 0 -> text.append('?');
        case 1 -> text.append((char) (0x80 + random.nextInt(0x780)));
        case 2 -> text.append((char) (0x800 + random.nextInt(0x4000)));
        case 3 -> text.appendCodePoint(0x10000 + random.nextInt(0x10000));
        case 4 -> text.append((char) (0xD800 + random.nextInt(0x800)));
        default -> text.append((char) (' ' + random.nextInt(95)));
      }
    }
    return text.toString();
  }

  private static boolean hasHalfPair(String text) {
    return !StandardCharsets.UTF_8.newEncoder().canEncode(text);
  }

  private static String escaped(String text) {
    StringBuilder escaped = new StringBuilder();
    text.chars().forEach(c -> escaped.append(String.format("%04x ", c)));
    return escaped.toString();
  }
}
