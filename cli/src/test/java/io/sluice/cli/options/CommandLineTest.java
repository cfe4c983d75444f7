package io.sluice.cli.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class CommandLineTest {
  private static final CommandLine SCAN =
      CommandLine.of("scan", "Prints rows")
          .required("TABLE", "name as database.table")
          .optional("BUCKET", "one bucket only")
          .option("--limit", "N", "at most so many rows")
          .option("--columns", "A,B", "only these columns")
          .flag("--follow", "do not end")
          .build();

  private static final CommandLine BENCH =
      CommandLine.of("bench", "Runs benchmarks").rest("NAME", "what to run").build();

  private static Arguments parse(String... words) {
    return SCAN.parse(List.of(words));
  }

  @Test
  void readsPositionalsFlagsAndValuesInAnyOrder() {
    Arguments arguments = parse("--follow", "demo.flights", "--limit", "7", "--columns=a,b", "3");

    assertThat(arguments.required("TABLE")).isEqualTo("demo.flights");
    assertThat(arguments.value("BUCKET")).contains("3");
    assertThat(arguments.has("--follow")).isTrue();
    assertThat(arguments.number("--limit", 20, 1, 100)).isEqualTo(7);
    assertThat(arguments.list("--columns")).containsExactly("a", "b");
  }

  @Test
  void aListMayBeGivenSeveralTimes() {
    CommandLine create =
        CommandLine.of("create", "Creates").option("--set", "KEY=VALUE,...", "options").build();
    Arguments arguments = create.parse(List.of("--set", "a=1,b=2", "--set=c=3"));
    assertThat(arguments.list("--set")).containsExactly("a=1", "b=2", "c=3");
  }

  @Test
  void leavesOutWhatWasNotGiven() {
    Arguments arguments = parse("demo.flights");

    assertThat(arguments.has("--follow")).isFalse();
    assertThat(arguments.value("BUCKET")).isEmpty();
    assertThat(arguments.number("--limit", 20, 1, 100)).isEqualTo(20);
    assertThat(arguments.list("--columns")).isEmpty();
  }

  @Test
  void aMistypedOptionIsRefusedWithTheNearestOne() {
    assertThatThrownBy(() -> parse("demo.flights", "--limt", "7"))
        .isInstanceOf(UsageException.class)
        .hasMessage("unknown option --limt of scan; did you mean --limit?");
  }

  @Test
  void anOptionWithoutItsValueIsRefused() {
    assertThatThrownBy(() -> parse("demo.flights", "--limit"))
        .hasMessage("option --limit needs a value: --limit N");
    assertThatThrownBy(() -> parse("demo.flights", "--limit", "--follow"))
        .hasMessage("option --limit needs a value: --limit N");
  }

  @Test
  void aFlagWithAValueIsRefused() {
    assertThatThrownBy(() -> parse("demo.flights", "--follow=yes"))
        .hasMessage("option --follow takes no value");
  }

  @Test
  void aMissingPositionalIsNamed() {
    assertThatThrownBy(() -> parse("--follow"))
        .hasMessage("scan needs TABLE: name as database.table");
  }

  @Test
  void tooManyPositionalsAreRefused() {
    assertThatThrownBy(() -> parse("a.b", "1", "2"))
        .hasMessage("unexpected argument '2'; scan takes TABLE BUCKET");
  }

  @Test
  void wordsAfterTwoDashesAreNotOptions() {
    assertThat(parse("--", "--limit").required("TABLE")).isEqualTo("--limit");
  }

  @Test
  void helpNeedsNoPositionals() {
    assertThat(parse("--help").has("--help")).isTrue();
    assertThat(parse("-h").has("--help")).isTrue();
  }

  @Test
  void aRepeatedPositionalTakesTheWordsThatAreLeft() {
    assertThat(BENCH.parse(List.of("one", "two", "three")).rest())
        .containsExactly("one", "two", "three");
    assertThatThrownBy(() -> BENCH.parse(List.of())).hasMessage("bench needs NAME: what to run");
  }

  @Test
  void numbersMayHaveSeparatorsAndSuffixes() {
    assertThat(parse("t", "--limit", "200_000").number("--limit", 1, 1, 1_000_000))
        .isEqualTo(200_000);
    assertThat(parse("t", "--limit", "200k").number("--limit", 1, 1, 1_000_000)).isEqualTo(200_000);
    assertThat(parse("t", "--limit", "3M").number("--limit", 1, 1, 9_000_000)).isEqualTo(3_000_000);
  }

  @Test
  void numbersOutOfRangeOrNoNumbersAreRefused() {
    assertThatThrownBy(() -> parse("t", "--limit", "0").number("--limit", 1, 1, 10))
        .isInstanceOf(UsageException.class)
        .hasMessage("--limit is 0; it must be between 1 and 10");
    assertThatThrownBy(() -> parse("t", "--limit", "many").number("--limit", 1, 1, 10))
        .hasMessageContaining("--limit is 'many'; it must be a whole number");
    assertThatThrownBy(
            () -> parse("t", "--limit", "9223372036854775807k").number("--limit", 1, 1, 10))
        .hasMessageContaining("must be a whole number");
  }

  @Test
  void choicesAreCheckedAndDefaultToAll() {
    List<String> known = List.of("none", "zstd", "lz4");

    assertThat(parse("t").choices("--columns", known)).isEqualTo(known);
    assertThat(parse("t", "--columns", "lz4,none,lz4").choices("--columns", known))
        .containsExactly("lz4", "none");
    assertThatThrownBy(() -> parse("t", "--columns", "zst").choices("--columns", known))
        .hasMessage("--columns has 'zst'; it may be none, zstd, lz4; did you mean zstd?");
  }

  @Test
  void helpShowsEverythingAligned() {
    assertThat(SCAN.help())
        .isEqualTo(
            """
            Usage: sluice scan TABLE [BUCKET] [options]

            Prints rows

              TABLE           name as database.table
              BUCKET          one bucket only

            Options:
              --limit N       at most so many rows
              --columns A,B   only these columns
              --follow        do not end
              --verbose       show log lines and the stack trace of a failure
              --help          show this help
            """);
  }
}
