package io.sluice.systemtests.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.EvaluationResult;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The allowed directions hold in the product, and each rule is one that can fail. */
final class ArchitectureTest {
  private static final String PRODUCT = "io.sluice";
  private static final String FIXTURE = ArchitectureTest.class.getPackageName() + ".fixture";

  private static final Map<String, ArchRule> PRODUCT_RULES = ArchitectureRules.forBase(PRODUCT);
  private static final Map<String, ArchRule> FIXTURE_RULES = ArchitectureRules.forBase(FIXTURE);
  private static final JavaClasses PRODUCT_CLASSES =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages(PRODUCT);
  private static final JavaClasses FIXTURE_CLASSES =
      new ClassFileImporter().importPackages(FIXTURE);

  static Stream<String> rules() {
    return PRODUCT_RULES.keySet().stream();
  }

  @ParameterizedTest
  @MethodSource("rules")
  void productFollows(String rule) {
    PRODUCT_RULES.get(rule).check(PRODUCT_CLASSES);
  }

  @ParameterizedTest
  @MethodSource("rules")
  void ruleFailsOnPackagesThatBreakIt(String rule) {
    EvaluationResult result = FIXTURE_RULES.get(rule).evaluate(FIXTURE_CLASSES);
    assertThat(result.hasViolation())
        .as("the fixture breaks %s and the rule sees it", rule)
        .isTrue();
  }

  @Test
  void everyModuleIsLookedAt() {
    Set<String> parts = new TreeSet<>();
    for (JavaClass type : PRODUCT_CLASSES) {
      parts.add(type.getPackageName().split("\\.")[2]);
    }
    assertThat(parts)
        .containsExactlyInAnyOrder(
            "common",
            "format",
            "protocol",
            "client",
            "servicekit",
            "testkit",
            "coordinator",
            "tablet",
            "tiering",
            "lake",
            "adminui",
            "cli",
            "bench");
  }
}
