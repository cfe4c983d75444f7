# shellcheck shell=bash
#
# Builds the services and the command line with Maven when they are missing or older than their
# sources.

readonly BUILD_MODULES="coordinator-service tablet-service cli"

# Where Maven leaves a module's jar.
module_jar() {
  case $1 in
    cli) printf '%s/cli/target/sluice-cli-%s.jar' "$SLUICE_ROOT" "$(sluice_version)" ;;
    *) printf '%s/%s/target/%s-%s.jar' "$SLUICE_ROOT" "$1" "$1" "$(sluice_version)" ;;
  esac
}

# True, with STALE_REASON set, when a module must be built.
is_stale() {
  local jar newer reference
  jar=$(module_jar "$1")
  reference=$jar
  if [ ! -f "$jar" ] || [ ! -d "$SLUICE_ROOT/$1/target/lib" ]; then
    STALE_REASON="$1 is not built"
    return 0
  fi
  # A build may leave a jar untouched when its classes did not change; the stamp is always touched.
  [ "$BUILD_STAMP" -nt "$reference" ] && reference=$BUILD_STAMP
  newer=$(find "$SLUICE_ROOT/pom.xml" "$SLUICE_ROOT/$1/pom.xml" "$SLUICE_ROOT/$1/src/main" \
    "$SLUICE_ROOT"/libs/*/pom.xml "$SLUICE_ROOT"/libs/*/src/main \
    -type f -newer "$reference" -print -quit 2>/dev/null || true)
  if [ -n "$newer" ]; then
    STALE_REASON="${newer#"$SLUICE_ROOT"/} is newer than the build"
    return 0
  fi
  return 1
}

need_maven() {
  command -v mvn >/dev/null 2>&1 && return 0
  if on_debian_as_root; then
    apt_install maven
    command -v mvn >/dev/null 2>&1 && return 0
  fi
  fail "Maven (mvn) is needed to build and was not found. Install Maven 3.8 or later, for example the package maven"
}

need_compiler() {
  need_java
  local home
  home=$(dirname "$(dirname "$(readlink -f "$JAVA")")")
  if [ ! -x "$home/bin/javac" ] && on_debian_as_root; then
    apt_install "openjdk-$JAVA_MAJOR-jdk-headless"
  fi
  [ -x "$home/bin/javac" ] || fail "$home has no javac: a JDK is needed to build, not only a Java runtime"
  export JAVA_HOME=$home
}

ensure_built() {
  with_lock "$SLUICE_ROOT/target/build.lock" build_if_stale
}

build_if_stale() {
  BUILD_STAMP=$SLUICE_ROOT/target/build.stamp
  local module
  for module in $BUILD_MODULES; do
    if is_stale "$module"; then
      say "Building: $STALE_REASON"
      run_build
      return
    fi
  done
}

run_build() {
  need_compiler
  need_maven
  local log=$SLUICE_ROOT/target/build.log marker started=$SECONDS
  marker=$SLUICE_ROOT/target/build.started
  : >"$marker"
  if ! (cd "$SLUICE_ROOT" && mvn -B -ntp -DskipTests -Dspotless.check.skip=true package \
    -pl "${BUILD_MODULES// /,}" -am 9>&- </dev/null 2>&1) | tee "$log" | build_progress; then
    note ""
    grep -E '^\[ERROR\]' "$log" | head -n 30 >&2 || tail -n 30 "$log" >&2
    fail "the build failed; its whole output is in $log"
  fi
  mv "$marker" "$SLUICE_ROOT/target/build.stamp"
  say "Built in $((SECONDS - started)) s"
}

# Turns Maven's output into one line a module.
build_progress() {
  awk '/^\[INFO\] Building .*\[[0-9]+\/[0-9]+\]/ {
         step = $NF; sub(/^\[INFO\] Building /, ""); sub(/ [^ ]+ +\[[0-9]+\/[0-9]+\]$/, "");
         printf "  %-8s %s\n", step, $0; fflush() }'
}

command_build() {
  [ $# -eq 0 ] || fail_unknown "option" "$1" ""
  ensure_built
  need_java
  ensure_images
  say "Everything is built"
}
