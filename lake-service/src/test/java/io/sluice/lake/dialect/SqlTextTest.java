package io.sluice.lake.dialect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class SqlTextTest {
  private static String duck(String sql) {
    return SqlText.of(sql).forDuckDb(0).text();
  }

  private static String flink(String sql) {
    return SqlText.of(sql).forFlink(sql.length()).text();
  }

  @Test
  void backticksBecomeDoubleQuotesForDuckDb() {
    assertThat(duck("select `a b`, `t$lake` from `x`"))
        .isEqualTo("select \"a b\", \"t$lake\" from \"x\"");
    assertThat(duck("select `a``b\"c`")).isEqualTo("select \"a`b\"\"c\"");
  }

  @Test
  void doubleQuotesBecomeBackticksForFlink() {
    assertThat(flink("drop table \"a\"\"b\".`c`")).isEqualTo("drop table `a\"b`.`c`");
  }

  @Test
  void quotesInsideOfStringsAndCommentsAreLeftAlone() {
    assertThat(duck("select '`x` \"y\" -- /*', 1")).isEqualTo("select '`x` \"y\" -- /*', 1");
    assertThat(duck("select 'it''s `q`'")).isEqualTo("select 'it''s `q`'");
    assertThat(duck("select 1 -- `not a name`\n, 2"))
        .isEqualTo("select 1 " + " ".repeat(15) + "\n, 2");
  }

  @Test
  void commentsDoNotNestAsInFlink() {
    assertThat(duck("select /* a /* b */ 1")).isEqualTo("select              1");
    assertThat(duck("select 1/**/+2")).isEqualTo("select 1    +2");
  }

  @Test
  void escapesOfDuckDbEndStringsWhereDuckDbEndsThem() {
    assertThat(duck("select E'a\\'b `x`', `y`")).isEqualTo("select E'a\\'b `x`', \"y\"");
    assertThat(duck("select 'a\\', `y`")).isEqualTo("select 'a\\', \"y\"");
  }

  @Test
  void hintsAreSeenAndLeftOut() {
    SqlText text = SqlText.of("select /*+ BROADCAST(a) */ 1");
    assertThat(text.hasHints()).isTrue();
    assertThat(text.forDuckDb(0).text()).isEqualTo("select                     1");
    assertThat(SqlText.of("select /* + */ 1").hasHints()).isFalse();
  }

  @Test
  void closingSemicolonsAreDropped() {
    assertThat(duck("select 1 ; ; -- end")).isEqualTo("select 1           ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select 1; select 2",
        "select 1; drop table x",
        "select '\\'; drop table x; --'",
        "select 1 /* ; */; select 2"
      })
  void secondStatementIsRefused(String sql) {
    assertThatThrownBy(() -> SqlText.of(sql))
        .isInstanceOfSatisfying(
            SluiceException.class,
            failure -> {
              assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_SQL);
              assertThat(failure).hasMessageContaining("more than one statement");
            });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "select 'abc|string begins|1|8",
        "select `abc|quoted name begins|1|8",
        "select 1 /* x|comment begins|1|10",
        "select $$x$$|dollar-quoted|1|8",
        "select $1|parameters|1|8",
        "select ?|parameters|1|8",
        "select ``|quoted name is empty|1|8"
      })
  void whatDoesNotEndIsRefusedWithItsPlace(String sql, String message, String line, String column) {
    assertThatThrownBy(() -> SqlText.of(sql))
        .isInstanceOfSatisfying(
            SluiceException.class,
            failure -> {
              assertThat(failure).hasMessageContaining(message);
              assertThat(failure.details()).isEqualTo(Map.of("line", line, "column", column));
            });
  }

  @Test
  void emptyTextIsRefused() {
    assertThatThrownBy(() -> SqlText.of(" -- nothing\n ;"))
        .hasMessageContaining("There is no statement");
  }

  @Test
  void placesAreToldInTheSource() {
    SqlText text = SqlText.of("select `ä``ö`,\n  'ü𝄞', nope from t");
    Rendering rendering = text.forDuckDb(0);
    int index = rendering.text().indexOf("nope");
    int bytes =
        rendering
            .text()
            .substring(0, index)
            .getBytes(java.nio.charset.StandardCharsets.UTF_8)
            .length;
    SluiceException failure = rendering.failureAtByte(ErrorCode.INVALID_SQL, "No", bytes, null);
    assertThat(failure).hasMessage("No (line 2, column 9)");
    assertThat(rendering.failureAtByte(ErrorCode.INVALID_SQL, "No", -1, null)).hasMessage("No");
    assertThat(rendering.failureAtByte(ErrorCode.INVALID_SQL, "No", 9999, null)).hasMessage("No");
  }

  @Test
  void qualifiersCanBeBlank() {
    Rendering rendering = SqlText.of("select 'ä' from Cat.d.t, `cat`\n.d.u").forDuckDb(0);
    Rendering without = rendering.withoutQualifier("cat", List.of(17L, 26L));
    assertThat(without.text()).isEqualTo("select 'ä' from     d.t,      \n d.u");
    assertThat(without.failureAtByte(ErrorCode.INVALID_SQL, "No", 21, null))
        .hasMessage("No (line 1, column 21)");
    assertThat(rendering.withoutQualifier("cat", List.of()).text()).isEqualTo(rendering.text());
    assertThatThrownBy(() -> rendering.withoutQualifier("cat", List.of(21L)))
        .hasMessage("No 'cat' with a dot at byte 21");
  }

  @Test
  void partsBeforeTheQueryAreBlank() {
    SqlText text = SqlText.of("insert into `t` -- x\n select 1");
    assertThat(text.forDuckDb(text.tokens().get(3).start()).text())
        .isEqualTo(" ".repeat(20) + "\n select 1");
    assertThat(text.forFlink(text.tokens().get(3).start()).text().strip())
        .isEqualTo("insert into `t`");
  }

  @Test
  void bytesAreWrittenInHexadecimalDigits() {
    assertThat(SqlText.of("SELECT X'0aFF', x''").forDuckDb(0).text())
        .isEqualTo("SELECT ('\\x0A\\xFF'::BLOB), (''::BLOB)");
    assertThat(SqlText.of("SELECT x 'a'").forDuckDb(0).text()).isEqualTo("SELECT x 'a'");
    SqlText odd = SqlText.of("SELECT X'0af'");
    assertThatThrownBy(() -> odd.forDuckDb(0))
        .isInstanceOf(SluiceException.class)
        .hasMessage(
            "X'0af' is no bytes: between the quotes stand two hexadecimal digits for each byte"
                + " (line 1, column 9)");
  }
}
