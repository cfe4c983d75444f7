package io.sluice.tablet.flight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.TableSchema;
import io.sluice.tablet.flight.TableDirectory.Located;
import io.sluice.tablet.replica.HostedTable;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Which columns puts and plain uploads may have, by the rules of their table. */
class PutColumnsTest {
  private static final TablePath PATH = new TablePath("demo", "users");
  private static final TableSchema SCHEMA =
      new TableSchema(
          1,
          List.of(
              Column.of(1, "name", DataTypeParser.parse("STRING"), false),
              Column.of(2, "uid", DataTypeParser.parse("BIGINT"), true),
              Column.of(3, "city", DataTypeParser.parse("STRING"), true),
              Column.of(4, "age", DataTypeParser.parse("INT"), true)),
          List.of("name"));
  private static final Map<String, String> IDS = Map.of("auto-increment.fields", "uid");
  private static final Map<String, String> FIRST = Map.of("table.merge-engine", "first_row");

  private static PutColumns columns(Map<String, String> options) {
    return PutColumns.of(PATH, SCHEMA, options);
  }

  private static PartialUpload upload(Map<String, String> options, String... targets) {
    HostedTable table = new HostedTable(1, PATH, List.of(SCHEMA), 1, List.of("name"), options);
    return PartialUpload.of(Located.of(table, 1), List.of(targets));
  }

  private static Schema uploaded(String... names) {
    return new Schema(
        Arrays.stream(names).map(name -> Field.nullable(name, ArrowType.Utf8.INSTANCE)).toList());
  }

  private static void assertRefused(ThrowingCallable put, ErrorCode code, String... words) {
    assertThatThrownBy(put)
        .isInstanceOfSatisfying(
            SluiceException.class, refused -> assertThat(refused.code()).isEqualTo(code))
        .hasMessageContainingAll(words);
  }

  @Test
  void putsNeverGiveIdsAValue() {
    columns(IDS).check(SCHEMA, List.of(1, 3, 4));
    columns(IDS).check(SCHEMA, List.of(4, 1));
    assertRefused(
        () -> columns(IDS).check(SCHEMA, List.of()),
        ErrorCode.INVALID_ARGUMENT,
        "'uid' of demo.users",
        "leave it out",
        "target columns");
    assertRefused(
        () -> columns(IDS).check(SCHEMA, List.of(1, 2)),
        ErrorCode.INVALID_ARGUMENT,
        "'uid' of demo.users");
  }

  @Test
  void idsThatMayNotBeNullNeedNoTargetEither() {
    TableSchema strict =
        new TableSchema(
            1,
            SCHEMA.columns().stream()
                .map(each -> Column.of(each.id(), each.name(), each.type(), each.id() > 2))
                .toList(),
            SCHEMA.primaryKey());
    PutColumns.of(PATH, strict, IDS).check(strict, List.of(4, 1));
    HostedTable table = new HostedTable(1, PATH, List.of(strict), 1, List.of("name"), IDS);
    assertThat(PartialUpload.of(Located.of(table, 1), List.of("name", "age")).targetIds())
        .containsExactly(1, 4);
  }

  @Test
  void wholeRowsAreTakenByEveryMergeEngine() {
    columns(FIRST).check(SCHEMA, List.of());
    assertRefused(
        () -> columns(FIRST).check(SCHEMA, List.of(1, 3)),
        ErrorCode.UNSUPPORTED,
        "demo.users takes whole rows only",
        "first_row");
    Map<String, String> both =
        Map.of("table.merge-engine", "first_row", "auto-increment.fields", "uid");
    columns(both).check(SCHEMA, List.of(1, 3, 4));
    assertRefused(
        () -> columns(both).check(SCHEMA, List.of(1, 3)), ErrorCode.UNSUPPORTED, "whole rows only");
  }

  @Test
  void uploadsOfWholeRowsLeaveIdsOut() {
    PartialUpload upload = upload(IDS);
    assertThat(upload.partial()).isFalse();
    assertThat(upload.targetIds()).containsExactly(1, 3, 4);
    assertThat(upload.written().schema().columns())
        .extracting(Column::name)
        .containsExactly("name", "city", "age");
    upload.check(uploaded("name", "age"));
    assertRefused(
        () -> upload.check(uploaded("name", "uid")),
        ErrorCode.INVALID_ARGUMENT,
        "'uid' of demo.users",
        "drop the column");
    assertThat(upload(Map.of()).targetIds()).isEmpty();
  }

  @Test
  void partialUploadsNameOtherColumns() {
    PartialUpload upload = upload(IDS, "age", "name");
    assertThat(upload.partial()).isTrue();
    assertThat(upload.targetIds()).containsExactly(4, 1);
    assertRefused(
        () -> upload.check(uploaded("name", "age", "uid")),
        ErrorCode.INVALID_ARGUMENT,
        "gets its values from the table");
    assertRefused(
        () -> upload(IDS, "name", "uid"), ErrorCode.INVALID_ARGUMENT, "target_columns", "'uid'");
    assertRefused(() -> upload(FIRST, "name", "age"), ErrorCode.UNSUPPORTED, "whole rows only");
  }
}
