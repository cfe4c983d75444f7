# shellcheck shell=bash
#
# Builds the services and the command line with Maven when they are missing or older than their
# sources.

readonly SERVICE_MODULES="coordinator-service tablet-service tiering-service lake-service admin-ui"

# Where Maven leaves a module's jar.
module_jar() {
  case $1 in
    cli) printf '%s/cli/target/sluice-cli-%s.jar' "$SLUICE_ROOT" "$(sluice_version)" ;;
    *) printf '%s/%s/target/%s-%s.jar' "$SLUICE_ROOT" "$1" "$1" "$(sluice_version)" ;;
  esac
}

# Has the time at which the last build of this module began.
build_stamp() { printf '%s/target/built/%s.stamp' "$SLUICE_ROOT" "$1"; }

# True, with STALE_REASON set, when a module must be built.
is_stale() {
  local jar newer reference
  local -a sources
  jar=$(module_jar "$1")
  reference=$jar
  if [ ! -f "$jar" ] || [ ! -d "$SLUICE_ROOT/$1/target/lib" ]; then
    STALE_REASON="$1 is not built"
    return 0
  fi
  # A build may leave a jar untouched when its classes did not change; the stamp says when it began.
  [ "$(build_stamp "$1")" -nt "$reference" ] && reference=$(build_stamp "$1")
  sources=("$SLUICE_ROOT/pom.xml" "$SLUICE_ROOT/$1/pom.xml" "$SLUICE_ROOT/$1/src/main"
    "$SLUICE_ROOT/$1/ui" "$SLUICE_ROOT/$1/api" "$SLUICE_ROOT"/libs/*/pom.xml "$SLUICE_ROOT"/libs/*/src/main)
  [ "$1" != cli ] || sources+=("$SLUICE_ROOT/benchmarks/harness/pom.xml" "$SLUICE_ROOT/benchmarks/harness/src/main")
  newer=$(find "${sources[@]}" \
    \( -name node_modules -o -name dist \) -prune -o \
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

# The console is a React application, compiled by npm as part of its module.
need_node() {
  local version
  has_node && return 0
  version=$(command -v node >/dev/null 2>&1 && node --version || printf 'none')
  if on_debian_as_root && [ "$(debian_node_major)" -ge "$NODE_MAJOR" ]; then
    apt_install nodejs npm
    has_node && return 0
  fi
  fail "Node $NODE_MAJOR or later with npm is needed to build the console (found: $version). Install it from https://nodejs.org or your distribution, or start without the console: ./sluice up --no-console"
}

readonly NODE_MAJOR=20

has_node() {
  local version
  command -v npm >/dev/null 2>&1 || return 1
  version=$(node --version 2>/dev/null) || return 1
  version=${version#v}
  [ "${version%%.*}" -ge "$NODE_MAJOR" ] 2>/dev/null
}

# The major version of Node that this Debian would install; 0 when it has none.
debian_node_major() {
  local version
  apt-get update >/dev/null 2>&1 || true
  version=$(apt-cache policy nodejs 2>/dev/null | awk '/Candidate:/ { print $2 }')
  version=${version#*:}
  version=${version%%[!0-9]*}
  printf '%s' "${version:-0}"
}

# Builds these modules and the command line when one of them is missing or old.
ensure_built() {
  # Tests run what their own build made.
  [ "${SLUICE_BUILD:-on}" != off ] || return 0
  with_lock "$SLUICE_ROOT/target/build.lock" build_if_stale "$@" cli
}

build_if_stale() {
  local module
  for module in "$@"; do
    if is_stale "$module"; then
      say "Building: $STALE_REASON"
      run_build "$@"
      return
    fi
  done
}

run_build() {
  local log=$SLUICE_ROOT/target/build.log marker started=$SECONDS modules=$* module
  need_compiler
  need_maven
  case " $modules " in *" admin-ui "*) need_node ;; esac
  mkdir -p "$SLUICE_ROOT/target/built"
  marker=$SLUICE_ROOT/target/built/started
  : >"$marker"
  if ! (cd "$SLUICE_ROOT" && mvn -B -ntp -DskipTests -Dspotless.check.skip=true package \
    -pl "${modules// /,}" -am 9>&- </dev/null 2>&1) | tee "$log" | build_progress; then
    note ""
    grep -E '^\[ERROR\]' "$log" | head -n 30 >&2 || tail -n 30 "$log" >&2
    fail "the build failed; its whole output is in $log"
  fi
  for module in "$@"; do touch -r "$marker" "$(build_stamp "$module")"; done
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
  # shellcheck disable=SC2086 # module names and kinds have no blanks
  ensure_built $SERVICE_MODULES
  need_java
  # shellcheck disable=SC2086
  ensure_images $SERVICE_KINDS
  # shellcheck disable=SC2086
  ensure_archives $SERVICE_KINDS
  say "Everything is built"
}
