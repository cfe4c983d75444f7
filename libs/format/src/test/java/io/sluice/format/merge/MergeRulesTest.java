package io.sluice.format.merge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.TableSchema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class MergeRulesTest {
  private static final List<String> TYPES =
      List.of(
          "BOOLEAN",
          "TINYINT",
          "SMALLINT",
          "INT",
          "BIGINT",
          "FLOAT",
          "DOUBLE",
          "DECIMAL(10,2)",
          "CHAR(3)",
          "STRING",
          "BINARY(4)",
          "BYTES",
          "DATE",
          "TIME(3)",
          "TIMESTAMP(6)",
          "TIMESTAMP_LTZ(3)",
          "ARRAY<INT>",
          "MAP<STRING,INT>",
          "ROW<`a` INT>");

  /** k INT, a BIGINT, n INT, s STRING, c CHAR, b BYTES, t TIMESTAMP, d BIGINT with a default. */
  private static final TableSchema SCHEMA = schema(List.of("k"));

  private static TableSchema schema(List<String> primaryKey) {
    return new TableSchema(
        1,
        List.of(
            column(1, "k", "INT", false),
            column(2, "a", "BIGINT", true),
            column(3, "n", "INT", true),
            column(4, "s", "STRING", true),
            column(5, "c", "CHAR(4)", true),
            column(6, "b", "BYTES", true),
            column(7, "t", "TIMESTAMP(3)", true),
            new Column(8, "d", DataTypeParser.parse("BIGINT"), true, "", "7", "7")),
        primaryKey);
  }

  private static Column column(int id, String name, String type, boolean nullable) {
    return Column.of(id, name, DataTypeParser.parse(type), nullable);
  }

  @Test
  void aTableThatSaysNothingKeepsTheLastRowAndDeletes() {
    MergeRules rules = MergeRules.of(SCHEMA, Map.of("bucket.num", "3", "owner", "me"));
    assertThat(rules.engine()).isEqualTo(MergeEngine.LAST_ROW);
    assertThat(rules.versionColumn()).isEqualTo(-1);
    assertThat(rules.deleteBehavior()).isEqualTo(DeleteBehavior.ALLOW);
    assertThat(rules.changelogImage()).isEqualTo(ChangelogImage.FULL);
    assertThat(rules.autoIncrementColumn()).isEqualTo(-1);
    assertThat(rules.largestId()).isZero();
    assertThat(rules.maxIdRange()).isEqualTo(100_000);
    assertThat(rules.rowTtl()).isEqualTo(Duration.ZERO);
    assertThat(rules.takesPartialUpdates()).isTrue();
    assertThatThrownBy(() -> rules.aggregate(1)).isInstanceOf(IllegalArgumentException.class);
    assertThat(MergeRules.of(schema(List.of()), Map.of("bucket.num", "3")).engine())
        .isEqualTo(MergeEngine.LAST_ROW);
  }

  @Test
  void readsTheVersionColumnAndTheDefaultsOfItsEngine() {
    for (String column : List.of("a", "n", "t")) {
      MergeRules rules =
          MergeRules.of(
              SCHEMA,
              Map.of(
                  "table.merge-engine",
                  "VERSIONED",
                  "table.merge-engine.versioned.ver-column",
                  column));
      assertThat(rules.engine()).isEqualTo(MergeEngine.VERSIONED);
      assertThat(rules.versionColumn()).isEqualTo(SCHEMA.position(column));
      assertThat(rules.deleteBehavior()).isEqualTo(DeleteBehavior.IGNORE);
      assertThat(rules.takesPartialUpdates()).isFalse();
    }
  }

  @Test
  void readsFunctionsWithTheirOptionsAndGivesTheOthersTheDefault() {
    Map<String, String> options = new HashMap<>();
    options.put("table.merge-engine", "aggregation");
    options.put("fields.a.agg", " SUM ");
    options.put("fields.a.agg.on-overflow", "Saturate");
    options.put("fields.n.agg", "count");
    options.put("fields.n.agg.on-overflow", "refuse");
    options.put("fields.s.agg", "string_agg");
    options.put("fields.s.agg.delimiter", " | ");
    options.put("fields.b.agg", "rbm32");
    options.put("fields.t.agg", "first_value_not_null");
    MergeRules rules = MergeRules.of(SCHEMA, options);
    assertThat(rules.engine()).isEqualTo(MergeEngine.AGGREGATION);
    assertThat(rules.takesPartialUpdates()).isTrue();
    assertThat(rules.deleteBehavior()).isEqualTo(DeleteBehavior.IGNORE);
    assertThat(rules.aggregate(1)).isEqualTo(new FieldAggregate(AggFunction.SUM, ",", true));
    assertThat(rules.aggregate(2)).isEqualTo(new FieldAggregate(AggFunction.COUNT, ",", false));
    assertThat(rules.aggregate(3)).isEqualTo(new FieldAggregate(AggFunction.LISTAGG, " | ", false));
    assertThat(rules.aggregate(4)).isEqualTo(FieldAggregate.DEFAULT);
    assertThat(rules.aggregate(5).function()).isEqualTo(AggFunction.RBM32);
    assertThat(rules.aggregate(6).function()).isEqualTo(AggFunction.FIRST_VALUE_IGNORE_NULLS);
    assertThat(rules.aggregate(7).function()).isEqualTo(AggFunction.LAST_VALUE_IGNORE_NULLS);
    assertThatThrownBy(() -> rules.aggregate(0)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void readsDeletesChangelogIdsAndTimeToLive() {
    MergeRules rules =
        MergeRules.of(
            SCHEMA,
            Map.of(
                "table.delete.behavior", "Disable",
                "table.changelog.image", "WAL",
                "auto-increment.fields", "n",
                "table.auto-increment.cache-size", "10",
                "table.kv.ttl", "1 d"));
    assertThat(rules.deleteBehavior()).isEqualTo(DeleteBehavior.DISABLE);
    assertThat(rules.changelogImage()).isEqualTo(ChangelogImage.WAL);
    assertThat(rules.autoIncrementColumn()).isEqualTo(2);
    assertThat(rules.largestId()).isEqualTo(Integer.MAX_VALUE);
    assertThat(rules.maxIdRange()).isEqualTo(10);
    assertThat(rules.rowTtl()).isEqualTo(Duration.ofDays(1));
    MergeRules wide =
        MergeRules.of(
            SCHEMA, Map.of("auto-increment.fields", "a", "table.merge-engine", "first_row"));
    assertThat(wide.largestId()).isEqualTo(Long.MAX_VALUE);
    assertThat(wide.maxIdRange()).isEqualTo(100_000);
    MergeRules whole =
        MergeRules.of(
            SCHEMA, Map.of("table.merge-engine", "aggregation", "table.delete.behavior", "allow"));
    assertThat(whole.deleteBehavior()).isEqualTo(DeleteBehavior.ALLOW);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "table.merge-engine=last_row|table.merge-engine is 'last_row'; it must be first_row,"
            + " versioned or aggregation, or leave it out: then the last row of a key wins",
        "table.merge-engine=|table.merge-engine is ''; it must be first_row",
        "table.merge-engine=versioned|table.merge-engine = versioned needs"
            + " table.merge-engine.versioned.ver-column",
        "table.merge-engine.versioned.ver-column=a|table.merge-engine.versioned.ver-column is only"
            + " for table.merge-engine = versioned; here it is last_row",
        "table.merge-engine=versioned table.merge-engine.versioned.ver-column=s"
            + "|ver-column is 's', which is STRING; a version is INT, BIGINT, TIMESTAMP or"
            + " TIMESTAMP_LTZ",
        "table.merge-engine=versioned table.merge-engine.versioned.ver-column=k"
            + "|ver-column names column 'k', which is in the primary key (k)",
        "table.merge-engine=versioned table.merge-engine.versioned.ver-column=A"
            + "|ver-column names column 'A', which the table does not have; its columns are k, a,"
            + " n, s, c, b, t, d",
        "fields.a.agg=sum|Option fields.a.agg is only for table.merge-engine = aggregation; here it"
            + " is last_row",
        "table.merge-engine=first_row fields.a.agg=sum|aggregation; here it is first_row",
        "table.merge-engine=aggregation fields.a.agg=avg|fields.a.agg is 'avg'; the functions are"
            + " sum, product, min, max, last_value, last_value_ignore_nulls, first_value,"
            + " first_value_ignore_nulls, listagg, bool_and, bool_or, rbm32, rbm64, count",
        "table.merge-engine=aggregation fields.s.agg=sum|fields.s.agg is 'sum', which takes TINYINT,"
            + " SMALLINT, INT, BIGINT, FLOAT, DOUBLE and DECIMAL; column 's' is STRING, for which"
            + " there are min, max, last_value, last_value_ignore_nulls, first_value,"
            + " first_value_ignore_nulls, listagg",
        "table.merge-engine=aggregation fields.c.agg=listagg|which takes STRING; column 'c' is"
            + " CHAR(4)",
        "table.merge-engine=aggregation fields.k.agg=sum|Option fields.k.agg names column 'k', which"
            + " is in the primary key (k); it must be another column",
        "table.merge-engine=aggregation fields.x.agg=sum|Option fields.x.agg names column 'x', which"
            + " the table does not have",
        "table.merge-engine=aggregation fields.a.agg=max fields.a.agg.delimiter=x|Option"
            + " fields.a.agg.delimiter is only for listagg; here max",
        "table.merge-engine=aggregation fields.a.agg.on-overflow=refuse|Option"
            + " fields.a.agg.on-overflow is only for sum, product and count of integers and DECIMAL;"
            + " here last_value_ignore_nulls of BIGINT",
        "table.merge-engine=aggregation fields.a.agg=sum fields.a.agg.on-overflow=wrap"
            + "|fields.a.agg.on-overflow is 'wrap'; it must be refuse or saturate",
        "table.delete.behavior=never|table.delete.behavior is 'never'; it must be allow, ignore or"
            + " disable",
        "table.merge-engine=first_row table.delete.behavior=allow|table.delete.behavior = allow does"
            + " not go with table.merge-engine = first_row",
        "table.merge-engine=versioned table.merge-engine.versioned.ver-column=a"
            + " table.delete.behavior=allow|does not go with table.merge-engine = versioned",
        "table.changelog.image=none|table.changelog.image is 'none'; it must be full or wal",
        "table.merge-engine=aggregation table.changelog.image=wal|table.changelog.image = wal does"
            + " not go with table.merge-engine = aggregation: the functions read the row before",
        "auto-increment.fields=a,n|auto-increment.fields is 'a,n'; a table has one auto-increment"
            + " column",
        "auto-increment.fields=s|auto-increment.fields is 's', which is STRING; ids are INT or"
            + " BIGINT",
        "auto-increment.fields=k|auto-increment.fields names column 'k', which is in the primary"
            + " key",
        "auto-increment.fields=d|auto-increment.fields names column 'd', which has a default",
        "auto-increment.fields=x|auto-increment.fields names column 'x', which the table does not"
            + " have",
        "table.merge-engine=aggregation auto-increment.fields=a|auto-increment.fields does not go"
            + " with table.merge-engine = aggregation",
        "table.merge-engine=versioned table.merge-engine.versioned.ver-column=a"
            + " auto-increment.fields=a|which is the version column",
        "table.auto-increment.cache-size=5|table.auto-increment.cache-size is only for tables with"
            + " auto-increment.fields",
        "table.auto-increment.cache-size=0 auto-increment.fields=a|it must be between 1 and"
            + " 10000000",
        "table.kv.ttl=10ms|table.kv.ttl is '10ms'; it must be between 1 s and 36500 d, or none",
      })
  void refusesBadOptionsAndCombinationsNamingWhatIsAllowed(String options, String message) {
    Map<String, String> given = new HashMap<>();
    for (String option : options.split(" ", -1)) {
      int at = option.indexOf('=');
      given.put(option.substring(0, at), option.substring(at + 1));
    }
    SluiceException refused =
        catchThrowableOfType(SluiceException.class, () -> MergeRules.of(SCHEMA, given));
    assertThat(refused).hasMessageContaining(message);
    assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_OPTION);
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "none",
      value = {"07, 07", "07, none", "none, 07"})
  void aColumnOfBitmapsHasNoDefault(@Nullable String initial, @Nullable String write) {
    TableSchema schema =
        new TableSchema(
            1,
            List.of(
                column(1, "k", "INT", false),
                new Column(2, "b", DataTypeParser.parse("BYTES"), true, "", initial, write)),
            List.of("k"));
    Map<String, String> options =
        Map.of("table.merge-engine", "aggregation", "fields.b.agg", "rbm64");
    assertThatThrownBy(() -> MergeRules.of(schema, options))
        .isInstanceOfSatisfying(
            SluiceException.class,
            refused -> assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_OPTION))
        .hasMessageContaining("fields.b.agg is 'rbm64', but column 'b' has the default 07");
    MergeRules.of(schema, Map.of("table.merge-engine", "aggregation"));
  }

  @Test
  void aLogTableHasNoneOfTheseOptions() {
    for (String option :
        List.of(
            "table.merge-engine",
            "table.merge-engine.versioned.ver-column",
            "fields.a.agg",
            "fields.a.agg.delimiter",
            "table.delete.behavior",
            "table.changelog.image",
            "auto-increment.fields",
            "table.auto-increment.cache-size",
            "table.kv.ttl",
            "table.kv.format")) {
      SluiceException refused =
          catchThrowableOfType(
              SluiceException.class,
              () -> MergeRules.of(schema(List.of()), Map.of(option, "a", "bucket.num", "1")));
      assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_OPTION);
      assertThat(refused)
          .hasMessage(
              "Option "
                  + option
                  + " is only for tables with a primary key; leave it out, or name a primary key");
    }
  }

  @ParameterizedTest
  @EnumSource(AggFunction.class)
  void everyFunctionTakesExactlyTheTypesItNames(AggFunction function) {
    List<String> taken = new ArrayList<>();
    for (String type : TYPES) {
      TableSchema schema =
          new TableSchema(
              1, List.of(column(1, "k", "INT", false), column(2, "v", type, true)), List.of("k"));
      Map<String, String> options =
          Map.of("table.merge-engine", "aggregation", "fields.v.agg", function.text());
      if (function.takes(schema.column("v").type())) {
        taken.add(type.replaceAll("[(<].*", ""));
        assertThat(MergeRules.of(schema, options).aggregate(1).function()).isEqualTo(function);
      } else {
        assertThatThrownBy(() -> MergeRules.of(schema, options))
            .hasMessageContaining("which takes " + function.takenTypes());
      }
    }
    if (function.takenTypes().equals("all types")) {
      assertThat(taken).hasSameSizeAs(TYPES);
    } else {
      assertThat(function.takenTypes().split(", | and "))
          .containsExactlyInAnyOrderElementsOf(taken);
    }
    assertThat(AggFunction.of("x", function.name())).isEqualTo(function);
  }
}
