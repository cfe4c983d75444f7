# shellcheck shell=bash
#
# The benchmarks: programs of the `cli` module that start their own clusters. The products they
# compare with, and the micro benchmarks, are built when they are asked for.

readonly PEER_NAMES="kafka fluss"

# Benchmarks start their own cluster through this launcher and remove it.
command_bench() {
  local word next="" peers="" micro=""
  if [ "${1:-}" = metadata ]; then
    shift
    bench_metadata "$@"
    return
  fi
  parse_home "$@"
  load_conf
  for word in ${ARGS[@]+"${ARGS[@]}"}; do
    if [ "$next" = peers ]; then
      peers=$word
    elif [ -z "$next" ]; then
      case $word in
        --with=*) peers=${word#--with=} ;;
        micro) micro=1 ;;
      esac
    fi
    case $next$word in
      --with) next=peers ;;
      --rows | --keys | --repeat | --codec | --schema | --json | --window | --buckets | --filter | --tablets | --rf) next=other ;;
      *) next="" ;;
    esac
  done
  check_peers "$peers"
  need_java
  ensure_built coordinator-service tablet-service
  ensure_images coordinator tablet
  ensure_archives coordinator tablet
  ensure_peers "$peers"
  [ -z "$micro" ] || ensure_micro
  # A benchmark runs for minutes; a build meanwhile must not pull its jars away.
  with_lock "$SLUICE_ROOT/target/image.lock" copy_cli
  CLI_JAR=$(built_image_dir cli)/$(image_main_jar cli) run_cli bench ${ARGS[@]+"${ARGS[@]}"}
}

# What many buckets cost a coordinator, measured in one process without tablets.
bench_metadata() {
  local buckets=100000 output
  while [ $# -gt 0 ]; do
    case $1 in
      --buckets)
        need_value "$1" $#
        need_number "$1" "$2" 1000 999999
        buckets=$2
        shift
        ;;
      *) fail_unknown "option" "$1" "--buckets" ;;
    esac
    shift
  done
  need_compiler
  need_maven
  say "Measuring $buckets buckets in the coordinator's metadata"
  output=$(mktemp)
  if ! (cd "$SLUICE_ROOT" && mvn -q -B -ntp -pl coordinator-service -am test -Dtest=MetadataScaleTest \
    -Dsurefire.failIfNoSpecifiedTests=false "-Dsluice.metadata.buckets=$buckets" </dev/null) \
    >"$output" 2>&1; then
    tail -n 25 "$output" >&2
    fail "the measurement failed; all it printed is in $output"
  fi
  grep '^[0-9]* buckets: ' "$output" || fail "the measurement printed no figures; see $output"
  rm -f "$output"
}

copy_cli() {
  local dir
  dir=$(built_image_dir cli)
  [ -d "$dir" ] || copy_image cli "$dir"
  remove_old_images cli "$dir"
}

# Before anything is built for nothing.
check_peers() {
  local peer
  for peer in ${1//,/ }; do
    case " $PEER_NAMES " in
      *" $peer "*) ;;
      *) fail_unknown "product in --with" "$peer" "$PEER_NAMES" ;;
    esac
  done
}

# ensure_peers "kafka,fluss": has Maven fetch their published artifacts and build what drives them.
ensure_peers() {
  local peer
  for peer in ${1//,/ }; do
    with_lock "$SLUICE_ROOT/target/peers.lock" build_peer_if_stale "$peer"
  done
}

build_peer_if_stale() {
  local stamp newer="" peers=$SLUICE_ROOT/benchmarks/peers
  stamp=$(build_stamp "peer-$1")
  if [ -f "$stamp" ] && [ -d "$peers/$1/target/lib" ] && [ -d "$peers/$1-server/target/lib" ]; then
    newer=$(find "$peers/pom.xml" "$peers/$1" "$peers/$1-server" "$SLUICE_ROOT/benchmarks/harness" \
      -name target -prune -o \
      -type f -newer "$stamp" -print -quit)
    [ -n "$newer" ] || return 0
  fi
  say "Building what drives $1${newer:+: ${newer#"$SLUICE_ROOT"/} is newer}"
  run_bench_build "peer-$1" \
    "The first comparison with $1 fetches it from Maven Central, which needs a network (a mirror or proxy goes into ~/.m2/settings.xml). Without one, run the benchmark without --with" \
    -f "$peers/pom.xml" -pl "$1,$1-server" -am
}

# The micro benchmarks, with JMH, are not part of the main build.
ensure_micro() {
  with_lock "$SLUICE_ROOT/target/build.lock" build_micro_if_stale
}

build_micro_if_stale() {
  local stamp newer="" module=$SLUICE_ROOT/benchmarks/jmh
  stamp=$(build_stamp micro)
  if [ -f "$stamp" ] && [ -d "$module/target/lib" ]; then
    newer=$(find "$module/src" "$module/pom.xml" "$SLUICE_ROOT"/libs/*/src/main -type f \
      -newer "$stamp" -print -quit)
    [ -n "$newer" ] || return 0
  fi
  say "Building the micro benchmarks${newer:+: ${newer#"$SLUICE_ROOT"/} is newer}"
  run_bench_build micro \
    "The first run fetches JMH from Maven Central, which needs a network (a mirror or proxy goes into ~/.m2/settings.xml)" \
    -P micro -pl benchmarks/jmh -am
}

# run_bench_build NAME HINT MAVEN_ARGUMENT...: builds and leaves a stamp. Maven needs the network only for what is not in its
# local repository.
run_bench_build() {
  local name=$1 hint=$2 log=$SLUICE_ROOT/target/build-$1.log marker
  shift 2
  need_compiler
  need_maven
  mkdir -p "$SLUICE_ROOT/target/built"
  marker=$SLUICE_ROOT/target/built/$name.started
  : >"$marker"
  if ! (cd "$SLUICE_ROOT" && mvn -B -ntp -nsu -DskipTests -Dspotless.check.skip=true "$@" package \
    9>&- </dev/null) >"$log" 2>&1; then
    grep -E '^\[ERROR\]' "$log" | head -n 12 >&2 || tail -n 20 "$log" >&2
    if grep -qE 'Could not (transfer|resolve|find) |Unknown host|offline mode|UnresolvableModel|Connection refused' "$log"; then
      note "$hint"
    fi
    fail "the build failed; its whole output is in $log"
  fi
  touch -r "$marker" "$(build_stamp "$name")"
}
