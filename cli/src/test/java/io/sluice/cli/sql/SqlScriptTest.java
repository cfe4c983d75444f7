package io.sluice.cli.sql;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SqlScriptTest {
  @Test
  void cutsAtSemicolons() {
    assertThat(SqlScript.statements("SELECT 1; SELECT 2\n;\n"))
        .containsExactly("SELECT 1", "SELECT 2");
  }

  @Test
  void semicolonsInQuotesAndCommentsDoNotCut() {
    assertThat(
            SqlScript.statements(
                "SELECT ';', \"a;b\", `c;d`, 'it''s; so' -- e;f\n/* g;h */; SELECT 2"))
        .containsExactly("SELECT ';', \"a;b\", `c;d`, 'it''s; so' -- e;f\n/* g;h */", "SELECT 2");
  }

  @Test
  void blanksAndCommentsAloneAreNoStatement() {
    assertThat(SqlScript.statements(" ;; -- nothing;\n /* here */ ;")).isEmpty();
  }

  @Test
  void whatIsNotClosedEndsWithTheScript() {
    assertThat(SqlScript.statements("SELECT 'a; b")).containsExactly("SELECT 'a; b");
    assertThat(SqlScript.statements("SELECT 1 /* a; b")).containsExactly("SELECT 1 /* a; b");
  }
}
