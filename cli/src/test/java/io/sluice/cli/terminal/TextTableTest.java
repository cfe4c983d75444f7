package io.sluice.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class TextTableTest {
  @Test
  void alignsWordsLeftAndFiguresRight() {
    TextTable table = new TextTable().left("NAME").right("ROWS");
    table.row("a", "1,000").row("longer", "7");

    assertThat(table.lines()).containsExactly("NAME     ROWS", "a       1,000", "longer      7");
  }

  @Test
  void leavesOutTitlesThatAreAllEmpty() {
    assertThat(new TextTable().left("").left("").row("key", "value").lines())
        .containsExactly("key  value");
  }

  @Test
  void refusesARowOfAnotherWidth() {
    assertThatThrownBy(() -> new TextTable().left("A").row("1", "2"))
        .hasMessageContaining("2 cells; the table has 1 columns");
  }
}
