# shellcheck shell=bash
#
# The demo, the benchmarks and the commands on tables: programs of the `cli` module, run against a
# cluster.

# Runs the command line's main class; it finds the cluster and this launcher by properties.
run_cli() {
  "$JAVA" -Xms64m -Xmx512m -XX:+UseSerialGC -Dfile.encoding=UTF-8 \
    --add-opens=java.base/java.nio=ALL-UNNAMED \
    "-Dsluice.launcher=$SLUICE_ROOT/sluice" "-Dsluice.repo=$SLUICE_ROOT" \
    "-Dsluice.home=$CLUSTER_HOME" "-Dsluice.coordinators=$(coordinator_addresses)" \
    -jar "$(module_jar cli)" "$@"
}

readonly DEMO_OPTIONS="--down --no-kill --verbose"

# Runs the demo on the cluster of this home, which is started where it does not run.
command_demo() {
  local down="" code=0 argument
  local -a demo_args=()
  parse_home "$@"
  parse_up_options ${ARGS[@]+"${ARGS[@]}"}
  for argument in ${OTHER_ARGS[@]+"${OTHER_ARGS[@]}"}; do
    case $argument in
      --down) down=1 ;;
      --no-kill | --verbose) ;;
      -*) fail_unknown "option" "$argument" "$DEMO_OPTIONS $UP_OPTIONS" ;;
      *) fail_usage "unexpected argument '$argument'; see ./sluice help" ;;
    esac
    demo_args+=("$argument")
  done
  load_conf
  avoid_taken_ports
  start_cluster
  run_cli demo ${demo_args[@]+"${demo_args[@]}"} || code=$?
  if [ -n "$down" ]; then
    command_down --home "$CLUSTER_HOME"
  else
    say "The cluster is still running; stop it with: $(typed_launcher) down$(home_option)"
  fi
  return "$code"
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
  for service in $(service_names); do
    for port in "$(grpc_port "$service")" "$(http_port "$service")"; do
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

# Benchmarks start their own cluster through this launcher and remove it.
command_bench() {
  parse_home "$@"
  load_conf
  need_java
  ensure_built
  ensure_images
  run_cli bench ${ARGS[@]+"${ARGS[@]}"}
}
