package io.sluice.format.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.format.row.ColumnWriters;
import io.sluice.format.row.TestValues;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.junit.jupiter.api.Test;

class ArrowLayoutTest {
  private static final List<String> NESTED =
      List.of(
          "ARRAY<FLOAT>",
          "ARRAY<ARRAY<STRING NOT NULL>>",
          "MAP<STRING,BIGINT>",
          "ROW<a INT, b STRING, c ARRAY<BOOLEAN>>",
          "MAP<INT,ROW<x DECIMAL(4,2), y MAP<STRING,BYTES>>>");

  @Test
  void countsNodesAndBuffersAsArrowDoes() {
    List<String> types = new ArrayList<>(TestValues.SCALARS);
    types.addAll(NESTED);
    try (BufferAllocator allocator = new RootAllocator()) {
      for (String type : types) {
        TableSchema schema = TestValues.schema(true, type);
        try (VectorSchemaRoot root =
                VectorSchemaRoot.create(ArrowSchemas.toArrow(schema), allocator);
            ArrowRecordBatch batch = new VectorUnloader(root).getRecordBatch()) {
          DataType dataType = DataTypeParser.parse(type);
          assertThat(ArrowLayout.nodeCount(dataType)).as(type).isEqualTo(batch.getNodes().size());
          assertThat(ArrowLayout.bufferCount(dataType))
              .as(type)
              .isEqualTo(batch.getBuffers().size());
        }
      }
    }
  }

  @Test
  void minimalSizesAreThoseOfARealBatch() {
    SplittableRandom random = new SplittableRandom(5);
    TableSchema schema = TestValues.allScalars(true);
    ArrowLayout layout = ArrowLayout.of(schema);
    try (BufferAllocator allocator = new RootAllocator();
        VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(schema), allocator)) {
      for (int rows : new int[] {1, 7, 8, 9, 64, 65}) {
        ColumnWriters writers = ColumnWriters.of(schema, root, 1);
        for (int i = 0; i < rows; i++) {
          writers.write(TestValues.randomRow(schema, random));
        }
        writers.finish();
        try (ArrowRecordBatch batch = new VectorUnloader(root).getRecordBatch()) {
          for (int i = 0; i < layout.nodeCount(); i++) {
            ArrowLayout.Node node = layout.node(i);
            for (int b = 0; b < node.buffers().size(); b++) {
              ArrowLayout.Buffer buffer = node.buffers().get(b);
              long size = batch.getBuffers().get(node.firstBuffer() + b).readableBytes();
              if (buffer.kind() == ArrowLayout.BufferKind.DATA) {
                assertThat(buffer.minimalBytes(rows)).isZero();
              } else {
                assertThat(buffer.minimalBytes(rows)).as("%s", node).isEqualTo(size);
              }
            }
          }
        }
      }
    }
  }

  @Test
  void knowsWhereColumnsBeginAndWhichNodesFollowTheirParent() {
    ArrowLayout layout =
        ArrowLayout.of(TestValues.schema(true, "INT", "MAP<STRING,ROW<a INT NOT NULL>>", "DATE"));
    assertThat(layout.firstNode(1)).isEqualTo(1);
    assertThat(layout.firstNode(2)).isEqualTo(6);
    assertThat(layout.firstNode(3)).isEqualTo(layout.nodeCount()).isEqualTo(7);
    assertThat(layout.firstBuffer(1)).isEqualTo(2);
    assertThat(layout.firstBuffer(2)).isEqualTo(2 + 2 + 1 + 3 + 1 + 2);
    assertThat(layout.firstBuffer(3)).isEqualTo(layout.bufferCount()).isEqualTo(13);
    assertThat(layout.node(2).sameLength()).as("map entries").isFalse();
    assertThat(layout.node(2).nullable()).isFalse();
    assertThat(layout.node(3).nullable()).as("map key").isFalse();
    assertThat(layout.node(4).parent()).isEqualTo(2);
    assertThat(layout.node(5).sameLength()).as("field of a row").isTrue();
    assertThat(layout.node(5).nullable()).isFalse();
    assertThat(layout.node(5).column()).isEqualTo(1);
  }

  @Test
  void anEmptyBatchNeedsNoBytes() {
    ArrowLayout layout = ArrowLayout.of(TestValues.schema(true, "STRING"));
    assertThat(layout.node(0).buffers()).allMatch(buffer -> buffer.minimalBytes(0) == 0);
  }
}
