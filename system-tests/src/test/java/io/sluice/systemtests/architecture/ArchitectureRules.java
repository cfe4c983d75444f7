package io.sluice.systemtests.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchRule;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * The allowed directions: {@code common <- format <- protocol <- client}, services on top of the
 * libraries and never on each other, and inside a service {@code app -> grpc, rest, flight, web ->
 * features}.
 *
 * <p>The rules are made for a base package, so that they can be tried on packages that break them.
 */
final class ArchitectureRules {
  private static final List<String> SERVICES =
      List.of("coordinator", "tablet", "tiering", "lake", "adminui");
  private static final List<String> EDGES = List.of("app", "grpc", "rest", "flight", "web");
  private static final String SPRING = "org.springframework..";

  private final String base;
  private final Map<String, ArchRule> rules = new LinkedHashMap<>();

  private ArchitectureRules(String base) {
    this.base = base;
  }

  /** All rules by name, for the packages below {@code base}. */
  static Map<String, ArchRule> forBase(String base) {
    ArchitectureRules all = new ArchitectureRules(base);
    all.addLibraries();
    all.addServices();
    all.addTablet();
    all.addCoordinator();
    all.addTiering();
    all.addLake();
    return all.rules;
  }

  private void addLibraries() {
    add(
        "common-depends-on-slf4j-and-jspecify-only",
        classes()
            .that()
            .resideInAPackage(in("common"))
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("java..", "org.slf4j..", "org.jspecify..", in("common")));
    addSluiceDependencies("format", "common");
    addSluiceDependencies("protocol", "common", "format");
    addSluiceDependencies("client", "common", "format", "protocol");
    addSluiceDependencies("servicekit", "common", "format", "protocol", "client");
    addSluiceDependencies("testkit", "common", "format", "protocol", "client");
    // What a benchmark's client does, whichever product it drives.
    addSluiceDependencies("bench");
    addSluiceDependencies("cli", "common", "format", "protocol", "client", "bench");
    add(
        "format-has-no-files-sockets-threads",
        noClasses()
            .that()
            .resideInAPackage(in("format"))
            .should()
            .dependOnClassesThat(
                resideInAnyPackage(
                        "java.nio.file..", "java.net..", "io.grpc..", "io.netty.channel..")
                    .or(assignableTo(java.io.File.class))
                    .or(assignableTo(java.io.FileInputStream.class))
                    .or(assignableTo(java.io.FileOutputStream.class))
                    .or(assignableTo(java.io.RandomAccessFile.class))
                    .or(assignableTo(java.nio.channels.FileChannel.class))
                    .or(assignableTo(Thread.class))
                    .or(assignableTo(Executor.class))
                    .or(assignableTo(CompletableFuture.class))));
    add(
        "client-internals-stay-inside",
        noClasses()
            .that(resideOutsideOfPackages(in("client")))
            .should()
            .dependOnClassesThat()
            .resideInAPackage(in("client.internal")));
    add(
        "testkit-is-for-tests",
        noClasses()
            .that(resideOutsideOfPackages(in("testkit")))
            .should()
            .dependOnClassesThat()
            .resideInAPackage(in("testkit")));
    for (String library : List.of("common", "format", "client", "cli")) {
      addNoCycles(library, "(*)..");
    }
    // Generated messages lie in a package below the code that is written by hand around them.
    addNoCycles("protocol", "(**)");
  }

  private void addServices() {
    for (String service : SERVICES) {
      addSluiceDependencies(service, "common", "format", "protocol", "client", "servicekit");
      addNoCycles(service, "(*)..");
      add(
          service + "-features-know-no-edge",
          noClasses()
              .that(isFeatureOf(service))
              .should()
              .dependOnClassesThat(resideInAnyPackage(edges(service))));
      add(
          service + "-edges-know-no-app",
          noClasses()
              .that()
              .resideInAnyPackage(
                  in(service + ".grpc"),
                  in(service + ".rest"),
                  in(service + ".flight"),
                  in(service + ".web"))
              .should()
              .dependOnClassesThat()
              .resideInAPackage(in(service + ".app")));
    }
    List<String> springPackages = new ArrayList<>(List.of(in("servicekit")));
    SERVICES.forEach(service -> springPackages.addAll(Arrays.asList(edges(service))));
    add(
        "spring-at-the-edges-only",
        noClasses()
            .that(resideOutsideOfPackages(springPackages.toArray(String[]::new)))
            .should()
            .dependOnClassesThat()
            .resideInAPackage(SPRING));
  }

  private void addTablet() {
    addFeatureDependencies("tablet", "log");
    addFeatureDependencies("tablet", "kv");
    addFeatureDependencies("tablet", "replica", "log", "kv", "replication");
    addFeatureDependencies("tablet", "remote", "log");
    addFeatureDependencies("tablet", "replication", "replica", "log", "kv");
  }

  private void addCoordinator() {
    add(
        "coordinator-metadata-reads-no-clock-and-no-chance",
        noClasses()
            .that()
            .resideInAnyPackage(in("coordinator.metadata"), in("coordinator.control"))
            .should()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(Instant.class, "now")
            .orShould()
            .dependOnClassesThat(
                assignableTo(Clock.class)
                    .or(assignableTo(Random.class))
                    .or(assignableTo(Thread.class))
                    .or(resideInAnyPackage("java.nio.file..", "org.apache.ratis.."))));
  }

  private void addTiering() {
    addFeatureDependencies("tiering", "read");
    addFeatureDependencies("tiering", "write");
    addFeatureDependencies("tiering", "commit", "write");
  }

  /** The two roles of the lake service know nothing of each other. */
  private void addLake() {
    addFeatureDependencies("lake", "catalog");
    addFeatureDependencies("lake", "commit", "catalog");
    add(
        "lake.sql-knows-no-commit",
        noClasses()
            .that()
            .resideInAnyPackage(
                in("lake.sql"), in("lake.union"), in("lake.duck"), in("lake.dialect"))
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(in("lake.catalog"), in("lake.commit")));
    add(
        "duckdb-is-for-the-sql-role",
        noClasses()
            .that()
            .resideInAnyPackage(in("lake.catalog"), in("lake.commit"), in("tiering"))
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.duckdb.."));
  }

  /** Of this project, {@code part} may know itself and {@code others} only. */
  private void addSluiceDependencies(String part, String... others) {
    add(
        part + "-knows-only" + Arrays.toString(others),
        noClasses()
            .that()
            .resideInAPackage(in(part))
            .should()
            .dependOnClassesThat(
                resideInAnyPackage(base + "..")
                    .and(resideOutsideOfPackages(allowed("", part, others)))));
  }

  /** Of its service, {@code feature} may know itself and {@code others} only. */
  private void addFeatureDependencies(String service, String feature, String... others) {
    add(
        service + "." + feature + "-knows-only" + Arrays.toString(others),
        noClasses()
            .that()
            .resideInAPackage(in(service + "." + feature))
            .should()
            .dependOnClassesThat(
                resideInAnyPackage(in(service))
                    .and(resideOutsideOfPackages(allowed(service + ".", feature, others)))));
  }

  private void addNoCycles(String part, String slice) {
    add(
        part + "-has-no-package-cycles",
        slices().matching(base + "." + part + "." + slice).should().beFreeOfCycles());
  }

  private DescribedPredicate<JavaClass> isFeatureOf(String service) {
    return resideInAnyPackage(in(service)).and(resideOutsideOfPackages(edges(service)));
  }

  private String[] edges(String service) {
    return EDGES.stream().map(edge -> in(service + "." + edge)).toArray(String[]::new);
  }

  private String[] allowed(String prefix, String part, String... others) {
    List<String> packages = new ArrayList<>(List.of(in(prefix + part)));
    Arrays.stream(others).map(other -> in(prefix + other)).forEach(packages::add);
    return packages.toArray(String[]::new);
  }

  private String in(String part) {
    return base + "." + part + "..";
  }

  private void add(String name, ArchRule rule) {
    rules.put(name, rule.allowEmptyShould(true).as(name));
  }
}
