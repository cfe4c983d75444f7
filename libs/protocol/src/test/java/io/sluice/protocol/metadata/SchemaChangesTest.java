package io.sluice.protocol.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.SchemaChange;
import io.sluice.protocol.metadata.v1.AddColumn;
import io.sluice.protocol.metadata.v1.ColumnDef;
import io.sluice.protocol.metadata.v1.DropColumn;
import io.sluice.protocol.metadata.v1.SetOption;
import io.sluice.protocol.metadata.v1.TableChange;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SchemaChangesTest {
  private static final DataType DECIMAL = DataTypeParser.parse("DECIMAL(10,2)");

  static Stream<SchemaChange> changes() {
    SchemaChange.Position last = new SchemaChange.Position.Last();
    return Stream.of(
        new SchemaChange.Add(List.of(), "a", DECIMAL, false, "c", "1.00", last),
        new SchemaChange.Add(
            List.of("r", "element"),
            "a",
            DECIMAL,
            true,
            "",
            null,
            new SchemaChange.Position.First()),
        new SchemaChange.Add(
            List.of(), "a", DECIMAL, true, "", "", new SchemaChange.Position.After("b")),
        new SchemaChange.Drop(List.of("r", "a")),
        new SchemaChange.Rename(List.of("r", "a"), "b"),
        new SchemaChange.ChangeType(List.of("a"), DECIMAL),
        new SchemaChange.MakeNullable(List.of("a")),
        new SchemaChange.SetDefault(List.of("a"), "x"),
        new SchemaChange.SetDefault(List.of("a"), ""),
        new SchemaChange.SetDefault(List.of("a"), null),
        new SchemaChange.SetComment(List.of("a"), "text"),
        new SchemaChange.Move(List.of("a"), new SchemaChange.Position.First()),
        new SchemaChange.Move(List.of("a"), new SchemaChange.Position.After("b")),
        new SchemaChange.Move(List.of("a"), last));
  }

  @ParameterizedTest
  @MethodSource("changes")
  void everyChangeComesBackAsItWas(SchemaChange change) {
    assertThat(SchemaChanges.toChange(SchemaChanges.toProto(change))).isEqualTo(change);
  }

  @Test
  void changesOfTheTableItselfAreNoneOfColumns() {
    assertThat(
            SchemaChanges.toChange(
                TableChange.newBuilder().setSetOption(SetOption.newBuilder().setKey("k")).build()))
        .isNull();
    assertThat(SchemaChanges.toChange(TableChange.newBuilder().setTableComment("").build()))
        .isNull();
    assertThat(SchemaChanges.toChange(TableChange.newBuilder().setResetOption("k").build()))
        .isNull();
  }

  @Test
  void aColumnWithoutAPositionGoesLast() {
    TableChange add =
        TableChange.newBuilder()
            .setAddColumn(
                AddColumn.newBuilder()
                    .setColumn(ColumnDef.newBuilder().setName("a").setType("INT")))
            .build();
    assertThat(((SchemaChange.Add) SchemaChanges.toChange(add)).position())
        .isEqualTo(new SchemaChange.Position.Last());
  }

  @Test
  void whatIsNoChangeIsRefused() {
    assertRefused(TableChange.getDefaultInstance(), ErrorCode.INVALID_ALTER, "empty or unknown");
    assertRefused(
        TableChange.newBuilder().setDropColumn(DropColumn.getDefaultInstance()).build(),
        ErrorCode.INVALID_ALTER,
        "its path is empty");
    assertRefused(
        TableChange.newBuilder()
            .setAddColumn(
                AddColumn.newBuilder()
                    .setColumn(ColumnDef.newBuilder().setName("a").setType("INTT")))
            .build(),
        ErrorCode.INVALID_SCHEMA,
        "Column 'a': ");
  }

  private static void assertRefused(TableChange change, ErrorCode code, String message) {
    SluiceException refused =
        catchThrowableOfType(SluiceException.class, () -> SchemaChanges.toChange(change));
    assertThat(refused).hasMessageContaining(message);
    assertThat(refused.code()).isEqualTo(code);
  }
}
