package io.sluice.lake.duck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.lake.dialect.SqlText;
import io.sluice.lake.duck.QueryReferences.TableReference;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class QueryParserTest {
  @TempDir static Path directory;
  private static QueryParser parser;

  @BeforeAll
  static void open() {
    parser = QueryParser.open(new DuckSettings(64 << 20, 1, directory.resolve("spill"), 1 << 20));
  }

  @AfterAll
  static void close() {
    parser.close();
  }

  private static QueryReferences parse(String sql) {
    return parser.parse(SqlText.of(sql).forDuckDb(0));
  }

  private static List<String> tables(String sql) {
    return parse(sql).tables().stream().map(each -> each.database() + "." + each.table()).toList();
  }

  private static SluiceException refusal(String sql) {
    try {
      parse(sql);
    } catch (SluiceException e) {
      return e;
    }
    throw new AssertionError("Not refused: " + sql);
  }

  @Test
  void findsTablesWhereverTheyStand() {
    assertThat(
            tables(
                "select (select max(x) from a.s1), s.y from a.t1 s join t2 on s.k = t2.k"
                    + " where s.z in (select z from `t3`) and exists (select 1 from \"b\".t4)"
                    + " union all select 1, 2 from (values (1)) v, lateral (select 1 from t5) l"
                    + " order by (select 1 from t6)"))
        .containsExactlyInAnyOrder("a.s1", "a.t1", ".t2", ".t3", "b.t4", ".t5", ".t6");
  }

  @Test
  void commonTableNamesAreNoTablesInTheirScopeOnly() {
    assertThat(tables("with x as (select 1 a), y as (select * from x) select * from y")).isEmpty();
    assertThat(tables("with t as (select * from t) select * from t")).containsExactly(".t");
    assertThat(tables("with t as (select 1) select * from demo.t")).containsExactly("demo.t");
    assertThat(tables("select * from (with x as (select 1) select * from x) a, x"))
        .containsExactly(".x");
    assertThat(
            tables(
                "with recursive r(n) as (select 1 union all select n + 1 from r where n < 3)"
                    + " select * from R"))
        .isEmpty();
    assertThat(tables("with y as (select * from x), x as (select 1) select * from y"))
        .containsExactly(".x");
  }

  @Test
  void namesOfColumnsAreASupersetOfWhatIsRead() {
    QueryReferences query =
        parse(
            "select t.A, sum(b) over (partition by c order by d) from t join u using (e)"
                + " where f > 1 group by g having max(h) > 2 order by i");
    assertThat(query.columns())
        .contains("a", "b", "c", "d", "e", "f", "g", "h", "i")
        .doesNotContain("z");
    assertThat(query.allColumns()).isFalse();
    assertThat(parse("select count(*) from t").columns()).isEmpty();
    assertThat(parse("select count(*) from t").allColumns()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select * from t",
        "select x.* from t x",
        "select a from t natural join u",
        "select columns('a.*') from t",
        "select t from t",
        "select x from t as x",
        "select count(x) from t as x",
        "from t",
        "select * exclude (a) from t",
        "select * from (pivot t on a in (1, 2) using sum(b))"
      })
  void wholeRowsNeedAllColumns(String sql) {
    assertThat(parse(sql).allColumns()).isTrue();
  }

  @Test
  void tablesKnowTheirPlace() {
    assertThat(parse("select 'ä' from x.y").tables())
        .containsExactly(new TableReference("", "x", "y", 17));
    assertThat(parse("select 'ä' from \"c\" . x.y").tables())
        .containsExactly(new TableReference("c", "x", "y", 17));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select * from read_csv('/etc/passwd')",
        "select * from READ_CSV('/etc/passwd')",
        "select * from \"read_csv\"('/etc/passwd')",
        "select * from main.read_csv('/etc/passwd')",
        "select * from read_csv_auto('/etc/passwd')",
        "select * from read_parquet('x.parquet')",
        "select * from parquet_scan('x.parquet')",
        "select * from parquet_metadata('x.parquet')",
        "select * from read_text('/etc/passwd')",
        "select * from read_blob('/etc/passwd')",
        "select * from read_json('x.json')",
        "select * from read_ndjson_objects('x')",
        "select * from glob('/*')",
        "select * from sniff_csv('/etc/passwd')",
        "select * from query('select 1')",
        "select * from query_table('x')",
        "select * from json_execute_serialized_sql('{}')",
        "select * from duckdb_settings()",
        "select * from duckdb_secrets()",
        "select * from duckdb_tables()",
        "select * from pragma_database_size()",
        "select * from pragma_table_info('x')",
        "select * from test_all_types()",
        "select * from repeat_row(1, num_rows = 2)",
        "select * from seq_scan('x')",
        "select * from arrow_scan(1, 2, 3)",
        "select * from json_each('{}')",
        "select 1 from t where a in (select content from read_text('/etc/passwd'))",
        "with x as (select * from read_csv('/etc/passwd')) select * from x",
        "with recursive x as (select 1 union all select * from read_csv('y')) select * from x",
        "select * from t, lateral (select * from read_text(t.a)) l",
        "select (select content from read_text('/etc/passwd'))",
        "select case when true then (select content from read_text('/etc/passwd')) end",
        "select list_transform([1], x -> (select content from read_text('/etc/passwd')))",
        "select * from t order by (select content from read_text('/etc/passwd'))",
        "select * from t limit (select count(*) from read_text('/etc/passwd'))",
        "select * from range((select count(*) from read_text('/etc/passwd')))",
        "select sum(a) filter (where a > (select 1 from glob('*'))) from t",
        "select 1 union select count(*) from read_text('/etc/passwd')",
        "values ((select content from read_text('/etc/passwd')))",
        "select * from (values ((select content from read_text('x')))) v",
        "select * from /* read a file */ read_text/**/('/etc/passwd')",
        "select * from (describe t)",
        "select * from (show tables)",
        "select * from (summarize t)",
        "select getenv('HOME')",
        "select current_setting('memory_limit')",
        "select getvariable('x')",
        "select pg_sleep(100)",
        "select sleep_ms(1000)",
        "select write_log('x')",
        "select nextval('s')",
        "select txid_current()",
        "select json_serialize_sql('select 1')",
        "select json_deserialize_sql('{}')",
        "select pg_catalog.pg_get_viewdef(1)",
        "select \"current_setting\"('x')",
        "select parse_duckdb_log_message('a', 'b')",
        "select has_table_privilege('x', 'y')",
        "select max(a) over (order by getenv('x')) from t"
      })
  void whatReachesOutOfTheQueryIsForbidden(String sql) {
    SluiceException failure = refusal(sql);
    assertThat(failure.code()).as(failure.getMessage()).isEqualTo(ErrorCode.PERMISSION_DENIED);
    assertThat(failure).hasMessageContaining("allowed");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "copy t to 'x'",
        "attach 'x'",
        "install httpfs",
        "set threads = 1",
        "create table x as select 1",
        "insert into t values (1)",
        "delete from t",
        "pragma version",
        "explain select 1",
        "pivot t on a using sum(b)",
        "export database 'x'",
        "select a into b from t",
        "with x as (delete from t returning *) select * from x"
      })
  void onlyQueriesComeThroughTheParser(String sql) {
    assertThat(refusal(sql).code()).isEqualTo(ErrorCode.INVALID_SQL);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select * from unnest([1, 2])",
        "select * from generate_series(1, 3) g(x)",
        "select a, unnest(b) from t, range(3)",
        "select md5(a), sha256(b), regexp_replace(c, 'a', 'b'), now() from t",
        "select a from t tablesample 10 percent",
        "select row_number() over w from t window w as (order by a)",
        "select json_extract(a, '$.x'), strftime(b, '%Y') from t",
        "select interval '1' day, cast(a as decimal(10, 2)), a::int[] from t",
        "select grouping(a) from t group by rollup (a)",
        "select a from t qualify rank() over (order by a) = 1"
      })
  void ordinaryQueriesPass(String sql) {
    assertThat(parse(sql)).isNotNull();
  }

  @Test
  void syntaxErrorsHaveTheirPlace() {
    assertThat(refusal("select a frm t x y"))
        .hasMessageContaining("syntax error")
        .hasMessageContaining("line 1, column 14");
    assertThat(refusal("select 1,\n  from from t").details()).containsEntry("line", "2");
    assertThat(refusal("select 'ü' 'x' from").details()).containsEntry("line", "1");
  }

  @Test
  void deepNestingIsRefusedAndHarmless() {
    for (int depth : new int[] {900, 20_000}) {
      String sums = "select 1" + "+1".repeat(depth);
      String nots = "select " + "not ".repeat(depth) + "true";
      String queries = "select * from " + "(select * from ".repeat(depth) + "t" + ")".repeat(depth);
      for (String sql : List.of(sums, nots, queries)) {
        try {
          parse(sql);
        } catch (SluiceException e) {
          assertThat(e.code()).isEqualTo(ErrorCode.INVALID_SQL);
        }
      }
    }
    assertThat(tables("select 1 from t")).containsExactly(".t");
  }

  @Test
  void otherTimesAreRefused() {
    assertThatThrownBy(() -> parse("select * from t at (version => 1)"))
        .hasMessageContaining("another time");
  }
}
