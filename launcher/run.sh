# shellcheck shell=bash
#
# The demo and the commands on tables: programs of the `cli` module, run against a
# cluster.

# Runs the command line's main class; it finds the cluster and this launcher by properties.
run_cli() {
  COLUMNS=$(terminal_columns) "$JAVA" -Xms64m -Xmx512m -XX:+UseSerialGC -Dfile.encoding=UTF-8 \
    --add-opens=java.base/java.nio=ALL-UNNAMED \
    "-Dsluice.launcher=$SLUICE_ROOT/sluice" "-Dsluice.repo=$SLUICE_ROOT" \
    "-Dsluice.home=$CLUSTER_HOME" "-Dsluice.coordinators=$(coordinator_addresses)" \
    "-Dsluice.rest=$(coordinator_urls)" "-Dsluice.sql=$(http_url lake-sql-1)" \
    "-Dsluice.iceberg=$(http_url lake-1)/iceberg" "-Dsluice.console=$(http_url admin-ui-1)" \
    -jar "${CLI_JAR:-$(module_jar cli)}" "$@"
}

# The width of the terminal; nothing when the output goes elsewhere.
terminal_columns() {
  local size
  [ -t 1 ] || return 0
  size=$(stty size </dev/tty 2>/dev/null) && printf '%s' "${size#* }"
}

readonly DEMO_OPTIONS="--down --no-kill --verbose"

# Runs the demo on the cluster of this home, which is started where it does not run. `uv` is a demo of
# its own.
command_demo() {
  local down="" uv="" code=0 argument
  local -a demo_args=()
  parse_home "$@"
  parse_up_options ${ARGS[@]+"${ARGS[@]}"}
  for argument in ${OTHER_ARGS[@]+"${OTHER_ARGS[@]}"}; do
    case $argument in
      --down) down=1 ;;
      --no-kill | --verbose) ;;
      uv) uv=1 ;;
      -*) fail_unknown "option" "$argument" "$DEMO_OPTIONS $UP_OPTIONS" ;;
      *) fail_usage "there is no demo '$argument'; it may be uv, or nothing; see ./sluice help" ;;
    esac
    demo_args+=("$argument")
  done
  load_conf
  avoid_taken_ports
  hurry_tiering
  if [ -n "$uv" ]; then need_sql_for_demo; else need_lake_for_demo; fi
  start_cluster
  run_cli demo ${demo_args[@]+"${demo_args[@]}"} || code=$?
  if [ -n "$down" ]; then
    command_down --home "$CLUSTER_HOME"
  else
    say "The cluster is still running; stop it with: $(typed_launcher) down$(home_option)"
  fi
  return "$code"
}

# Nobody wants to watch a demo wait: a cluster that it starts looks at the queue more often than
# by default. What the home remembers or the command line says counts before.
hurry_tiering() {
  local setting
  any_running && return 0
  for setting in coordinator.sluice.tiering.poll-interval=1s \
    coordinator.sluice.tiering.sweep-interval=1s tiering.sluice.tiering.report-interval=1s; do
    case " ${SETTINGS[*]+"${SETTINGS[*]}"} ${WANT_SETTINGS[*]+"${WANT_SETTINGS[*]}"} " in
      *" ${setting%%=*}="*) ;;
      *) WANT_SETTINGS+=("$setting") ;;
    esac
  done
}

need_lake_for_demo() {
  if [ "${WANT_LAKE:-$(word_of "$LAKE")}" = off ] || [ "${WANT_SQL:-$(word_of "$SQL")}" = off ] ||
    [ "${WANT_TIERING:-$TIERING}" = 0 ]; then
    fail "the demo needs the lake, SQL and a tiering worker: ./sluice demo --lake --sql --tiering 1$(home_option)"
  fi
}

need_sql_for_demo() {
  if [ "${WANT_LAKE:-$(word_of "$LAKE")}" = off ] || [ "${WANT_SQL:-$(word_of "$SQL")}" = off ]; then
    fail "the demo needs SQL: ./sluice demo uv --lake --sql$(home_option)"
  fi
}

# How to call this launcher from where the caller is.
typed_launcher() {
  if [ "$PWD" = "$SLUICE_ROOT" ]; then printf './sluice'; else printf '%s/sluice' "$SLUICE_ROOT"; fi
}

home_option() {
  [ "$CLUSTER_HOME" = "$SLUICE_ROOT/.sluice" ] || printf ' --home %s' "$CLUSTER_HOME"
}

# The demo should work on a machine where something else holds the default ports.
avoid_taken_ports() {
  local service port
  [ -z "$WANT_PORT_BASE" ] && ! any_running || return 0
  [ -z "$WANT_TABLETS" ] || TABLETS=$WANT_TABLETS
  [ -z "$WANT_COORDINATORS" ] || COORDINATORS=$WANT_COORDINATORS
  for service in $(service_names); do
    for port in $(service_ports "$service"); do
      if port_in_use "$port"; then
        WANT_PORT_BASE=$(free_port_base)
        say "Port $port is in use$(port_owner "$port"); using --port-base $WANT_PORT_BASE"
        return 0
      fi
    done
  done
}

# Lists, shows, scans or drops tables of the cluster that runs in this home.
command_table() {
  local word=$1
  shift
  parse_home "$@"
  load_conf
  any_running || fail "no cluster runs in $CLUSTER_HOME; start one with ./sluice up$(home_option)"
  need_java
  ensure_built
  run_cli "$word" ${ARGS[@]+"${ARGS[@]}"}
}

help_of_cli() {
  parse_home
  load_conf
  need_java
  ensure_built
  run_cli "$1" --help
}
