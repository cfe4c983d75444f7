# shellcheck shell=bash
#
# All tests and checks, on a fresh machine too.

readonly TEST_OPTIONS="--only --seed --soak"

command_test() {
  local only="" module minutes="" code=0 started=$SECONDS marker
  local -a properties=()
  while [ $# -gt 0 ]; do
    case $1 in
      --only | --seed) need_value "$1" $# ;;
    esac
    case $1 in
      --only)
        only=$2
        properties+=("-Dtest=$2" -Dsurefire.failIfNoSpecifiedTests=false)
        module=$(module_of_test "$2")
        [ -z "$module" ] || properties+=(-pl "$module" -am)
        shift
        ;;
      --seed)
        properties+=("-Dsluice.seed=$2")
        shift
        ;;
      --soak)
        properties+=(-Dsluice.soak=true)
        case ${2:-} in
          [0-9]*)
            need_number "$1" "$2" 1 10000
            minutes=$2
            shift
            ;;
        esac
        ;;
      *) fail_unknown "option" "$1" "$TEST_OPTIONS" ;;
    esac
    shift
  done
  if [ -n "$minutes" ]; then
    [ -z "$only" ] || fail_usage "--soak MINUTES runs tests of its own; it cannot go with --only"
    only="faults on a replicated cluster for $minutes minutes"
    soak_properties "$minutes"
    properties+=("${SOAK_PROPERTIES[@]}")
  fi
  need_compiler
  need_maven
  need_node
  offer_python
  offer_chromium
  mkdir -p "$SLUICE_ROOT/target"
  marker=$SLUICE_ROOT/target/test.started
  : >"$marker"
  say "Running all tests and checks${only:+ of $only}: mvn verify with ${JAVA_TEXT%%$'\n'*}"
  (cd "$SLUICE_ROOT" && mvn -B -ntp -T 2 ${properties[@]+"${properties[@]}"} verify </dev/null) || code=$?
  summarize_tests "$marker" $((SECONDS - started)) || code=1
  if [ -n "$minutes" ] && [ -f "$SOAK_SUMMARY" ]; then
    say ""
    cat "$SOAK_SUMMARY"
  fi
  return "$code"
}

# Sets SOAK_PROPERTIES to what makes Maven run the long tests of a replicated cluster alone, one
# after another: servers, clients and faults need the processors. SOAK_SUMMARY is the file that says
# at the end what was done.
soak_properties() {
  SOAK_SUMMARY=$SLUICE_ROOT/target/soak-summary.txt
  mkdir -p "$SLUICE_ROOT/target"
  rm -f "$SOAK_SUMMARY"
  SOAK_PROPERTIES=(
    "-Dsluice.soak.minutes=$1" "-Dsluice.soak.summary=$SOAK_SUMMARY" -Dsystem.test.forks=1
    -Dtest=ReplicatedSoakTest,BrokenBuildFaultTest -Dsurefire.failIfNoSpecifiedTests=false
    -pl system-tests -am
  )
}

# Prints the module that has the test class of this name; nothing for a pattern or a name that
# several modules have.
module_of_test() {
  local found
  found=$(cd "$SLUICE_ROOT" && find . -path '*/src/test/java/*' -name "${1%%#*}.java" ! -path '*/target/*')
  [ "$(wc -l <<<"$found")" = 1 ] && [ -n "$found" ] || return 0
  found=${found#./}
  printf '%s' "${found%%/src/test/*}"
}

# The script tests of docs/examples make a virtual environment; without Python they are skipped.
offer_python() {
  if ! command -v python3 >/dev/null 2>&1 || ! python3 -c 'import venv, ensurepip' >/dev/null 2>&1; then
    if on_debian_as_root; then
      (apt_install python3-venv) || note "Notice: no python3-venv; the Python examples are not tested"
    else
      note "Notice: python3 with venv not found; the Python examples are not tested"
    fi
  fi
}

# Browser tests drive the console in Chromium; without one they are skipped.
offer_chromium() {
  local name
  for name in "${CHROMIUM:-}" chromium chromium-browser google-chrome; do
    if [ -n "$name" ] && command -v "$name" >/dev/null 2>&1; then return 0; fi
  done
  if on_debian_as_root; then
    (apt_install chromium) || note "Notice: no Chromium; the console is not tested in a browser"
  else
    note "Notice: no Chromium found; the console is not tested in a browser"
  fi
}

# Prints what every module's tests did, from the reports of this run. False when a test failed or
# when no test ran.
summarize_tests() {
  local reports
  reports=$(cd "$SLUICE_ROOT" && find . -path '*/target/surefire-reports/TEST-*.xml' -newer "$1" | sort)
  say ""
  say "Tests by module"
  (
    cd "$SLUICE_ROOT" || exit 1
    # shellcheck disable=SC2086 # one report a word
    for report in $reports; do
      awk -v report="$report" '
        /<testsuite / { found = 1 }
        found { line = line " " $0 }
        found && />/ { print report " " line; exit }' "$report"
    done
  ) | awk -v seconds="$2" '
    function attribute(name,  text) {
      if (!match($0, " " name "=\"[^\"]*\"")) return 0
      text = substr($0, RSTART, RLENGTH); gsub(/^[^"]*"|"$|,/, "", text); return text + 0
    }
    {
      module = $1; sub(/^\.\//, "", module); sub(/\/target\/.*/, "", module)
      if (!(module in tests)) order[++modules] = module
      tests[module] += attribute("tests"); time[module] += attribute("time")
      bad[module] += attribute("failures") + attribute("errors"); skip[module] += attribute("skipped")
    }
    END {
      for (i = 1; i <= modules; i++) {
        m = order[i]
        printf "  %-22s %5d tests %4d failed %4d skipped %8.1f s\n", m, tests[m], bad[m], skip[m], time[m]
        total += tests[m]; failed += bad[m]; skipped += skip[m]
      }
      printf "Whole run: %d min %02d s\n", seconds / 60, seconds % 60
      printf "%d passed, %d failed, %d skipped\n", total - failed - skipped, failed, skipped
      exit (failed > 0 || total == 0)
    }'
}
