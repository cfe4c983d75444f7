# shellcheck shell=bash
#
# A cluster: the services that share one home directory, and the commands that work on them.

# Sets CLUSTER_HOME from --home, SLUICE_HOME or the default, and takes that option out of ARGS.
parse_home() {
  local home=${SLUICE_HOME:-$SLUICE_ROOT/.sluice}
  ARGS=()
  while [ $# -gt 0 ]; do
    case $1 in
      --home)
        need_value "$1" $#
        home=$2
        shift
        ;;
      --home=*) home=${1#--home=} ;;
      *) ARGS+=("$1") ;;
    esac
    shift
  done
  [ -n "$home" ] || fail_usage "--home must not be empty"
  case $home in /*) CLUSTER_HOME=$home ;; *) CLUSTER_HOME=$PWD/$home ;; esac
}

# Sets TABLETS, COORDINATORS and PORT_BASE to what `up` remembered, or to the defaults.
load_conf() {
  local key value
  TABLETS=1
  COORDINATORS=1
  PORT_BASE=$DEFAULT_PORT_BASE
  CONF_EXISTS=""
  [ -f "$CLUSTER_HOME/cluster.conf" ] || return 0
  CONF_EXISTS=1
  while IFS='=' read -r key value; do
    case $key in
      tablets) TABLETS=$value ;;
      coordinators) COORDINATORS=$value ;;
      port-base) PORT_BASE=$value ;;
      '' | '#'*) ;;
      *) fail "$CLUSTER_HOME/cluster.conf has an unknown key '$key'" ;;
    esac
  done <"$CLUSTER_HOME/cluster.conf"
}

save_conf() {
  printf '%s\n' "# Written by ./sluice up" "tablets=$TABLETS" "coordinators=$COORDINATORS" \
    "port-base=$PORT_BASE" >"$CLUSTER_HOME/cluster.conf.new"
  mv "$CLUSTER_HOME/cluster.conf.new" "$CLUSTER_HOME/cluster.conf"
}

prepare_home() {
  mkdir -p "$CLUSTER_HOME/run" "$CLUSTER_HOME/logs"
  if [ ! -s "$CLUSTER_HOME/cluster-secret" ]; then
    (
      umask 077
      head -c 32 /dev/urandom | od -An -v -tx1 | tr -d ' \n' >"$CLUSTER_HOME/cluster-secret.new"
      mv "$CLUSTER_HOME/cluster-secret.new" "$CLUSTER_HOME/cluster-secret"
    )
  fi
}

# The names of the services, for messages.
service_list() {
  # shellcheck disable=SC2046 # service names have no blanks
  printf '%s' "$(echo $(service_names))"
}

any_running() {
  local service
  for service in $(service_names); do
    find_running "$service" && return 0
  done
  return 1
}

# Reads the options of `up` into WANT_* and OTHER_ARGS.
parse_up_options() {
  WANT_TABLETS="" WANT_COORDINATORS="" WANT_PORT_BASE="" START_TIMEOUT=60 BUILD=1
  OTHER_ARGS=()
  while [ $# -gt 0 ]; do
    case $1 in
      --tablets | --coordinators | --port-base | --timeout) need_value "$1" $# ;;
    esac
    case $1 in
      --tablets)
        need_number "$1" "$2" 1 50
        WANT_TABLETS=$2
        shift
        ;;
      --coordinators)
        need_number "$1" "$2" 1 5
        WANT_COORDINATORS=$2
        shift
        ;;
      --port-base)
        need_number "$1" "$2" 1000 65000
        WANT_PORT_BASE=$2
        shift
        ;;
      --timeout)
        need_number "$1" "$2" 1 3600
        START_TIMEOUT=$2
        shift
        ;;
      --no-build) BUILD="" ;;
      *) OTHER_ARGS+=("$1") ;;
    esac
    shift
  done
}

readonly UP_OPTIONS="--tablets --coordinators --home --port-base --timeout --no-build"

# Merges what was asked for with what the home remembers; refuses what cannot be done.
apply_up_options() {
  local remembered_tablets=$TABLETS
  if [ "${WANT_COORDINATORS:-1}" -gt 1 ]; then
    fail "--coordinators $WANT_COORDINATORS: this build runs its metadata on one coordinator; a replicated coordinator is not in it yet"
  fi
  if [ -n "$WANT_PORT_BASE" ] && [ "$WANT_PORT_BASE" != "$PORT_BASE" ]; then
    any_running && fail "the cluster in $CLUSTER_HOME runs with --port-base $PORT_BASE; stop it first (./sluice down), or use another --home"
    PORT_BASE=$WANT_PORT_BASE
  fi
  if [ -n "$WANT_TABLETS" ]; then
    if [ -n "$CONF_EXISTS" ] && [ "$WANT_TABLETS" -lt "$remembered_tablets" ]; then
      fail "the cluster in $CLUSTER_HOME has $remembered_tablets tablets; tablets cannot be taken away. Use another --home"
    fi
    TABLETS=$WANT_TABLETS
  fi
}

command_up() {
  parse_home "$@"
  parse_up_options ${ARGS[@]+"${ARGS[@]}"}
  [ ${#OTHER_ARGS[@]} -eq 0 ] || fail_unknown "option" "${OTHER_ARGS[0]}" "$UP_OPTIONS"
  start_cluster
  print_urls
}

# Starts what does not run yet; says so when everything does.
start_cluster() {
  load_conf
  apply_up_options
  need_java
  [ -z "$BUILD" ] || ensure_built
  [ -n "${SLUICE_TRAINING:-}" ] || ensure_images
  prepare_home
  with_lock "$CLUSTER_HOME/run/lock" start_missing
}

start_missing() {
  local service started=$SECONDS running=0
  local -a missing=()
  for service in $(service_names); do
    if find_running "$service"; then
      running=$((running + 1))
    else
      missing+=("$service")
    fi
  done
  if [ ${#missing[@]} -eq 0 ]; then
    save_conf
    # shellcheck disable=SC2046 # service names have no blanks
    wait_ready "$START_TIMEOUT" $(service_names) >/dev/null
    say "Already up: $running services in $CLUSTER_HOME"
    return 0
  fi
  for service in "${missing[@]}"; do check_ports "$service"; done
  save_conf
  say "Starting ${missing[*]} in $CLUSTER_HOME"
  for service in "${missing[@]}"; do start_service "$service"; done
  # shellcheck disable=SC2046 # service names have no blanks
  wait_ready "$START_TIMEOUT" $(service_names)
  say "Up in $((SECONDS - started)) s"
}

print_urls() {
  local service
  for service in $(service_names); do
    case $service in
      coordinator-*) say "  $service   metadata gRPC 127.0.0.1:$(grpc_port "$service")   REST http://127.0.0.1:$(http_port "$service")/api/v1/tables" ;;
      *) say "  $service        Arrow Flight grpc://127.0.0.1:$(grpc_port "$service")   health http://127.0.0.1:$(http_port "$service")/actuator/health" ;;
    esac
  done
}

no_more_arguments() {
  [ $# -eq 0 ] || fail_usage "unexpected argument '$1'; see ./sluice help"
}

command_down() {
  parse_home "$@"
  no_more_arguments ${ARGS[@]+"${ARGS[@]}"}
  load_conf
  [ -d "$CLUSTER_HOME/run" ] || {
    say "Nothing is running in $CLUSTER_HOME"
    return 0
  }
  with_lock "$CLUSTER_HOME/run/lock" stop_all
}

# Stops tablets before coordinators, each kind in parallel.
stop_all() {
  local kind service stopped=0
  local -a pids
  for kind in tablet coordinator; do
    pids=()
    for service in $(service_names); do
      [ "$(service_kind "$service")" = "$kind" ] || continue
      if find_running "$service"; then
        stopped=$((stopped + 1))
        say "Stopping $service (pid $PID)"
      fi
      stop_service "$service" &
      pids+=($!)
    done
    for service in "${pids[@]}"; do wait "$service" || true; done
  done
  if [ "$stopped" -eq 0 ]; then
    say "Nothing is running in $CLUSTER_HOME"
  else
    say "Stopped $stopped services"
  fi
}

command_kill() {
  parse_home "$@"
  load_conf
  [ ${#ARGS[@]} -ge 1 ] || fail_usage "kill needs a service: $(service_list)"
  no_more_arguments "${ARGS[@]:1}"
  resolve_service "${ARGS[0]}"
  find_running "$SERVICE" || fail "$SERVICE is not running in $CLUSTER_HOME"
  local pid=$PID
  kill_service "$SERVICE"
  say "Killed $SERVICE (pid $pid) with SIGKILL"
}

command_restart() {
  parse_home "$@"
  parse_up_options ${ARGS[@]+"${ARGS[@]}"}
  load_conf
  [ ${#OTHER_ARGS[@]} -ge 1 ] || fail_usage "restart needs a service: $(service_list)"
  no_more_arguments "${OTHER_ARGS[@]:1}"
  [ -z "$WANT_TABLETS$WANT_COORDINATORS$WANT_PORT_BASE" ] || fail_usage "restart takes no --tablets, --coordinators or --port-base; those belong to up"
  resolve_service "${OTHER_ARGS[0]}"
  [ -n "$CONF_EXISTS" ] || fail "there is no cluster in $CLUSTER_HOME; start one with ./sluice up"
  need_java
  ensure_images
  with_lock "$CLUSTER_HOME/run/lock" restart_service
}

restart_service() {
  local started=$SECONDS
  if stop_service "$SERVICE"; then
    say "Stopped $SERVICE"
  fi
  check_ports "$SERVICE"
  start_service "$SERVICE"
  wait_ready "$START_TIMEOUT" "$SERVICE"
  say "Restarted $SERVICE in $((SECONDS - started)) s"
}

# One word for what a service is doing.
service_state() {
  if find_running "$1"; then
    case $(process_state "$PID") in
      T | t) printf 'paused' ;;
      *) if is_ready "$1"; then printf 'ready'; else printf 'not ready'; fi ;;
    esac
  elif [ -f "$(pid_file "$1")" ]; then
    printf 'died'
  else
    printf 'stopped'
  fi
}

# Exit code 0 when every service is ready, 3 otherwise.
command_status() {
  parse_home "$@"
  no_more_arguments ${ARGS[@]+"${ARGS[@]}"}
  load_conf
  local service state pid uptime memory all_ready=1 format='%-15s %-8s %-10s %-12s %-12s %-10s %s\n'
  say "Cluster in $CLUSTER_HOME"
  # shellcheck disable=SC2059 # one format for all rows
  printf "$format" SERVICE PID STATE GRPC HTTP UPTIME MEMORY
  for service in $(service_names); do
    state=$(service_state "$service")
    [ "$state" = ready ] || all_ready=""
    pid=- uptime=- memory=-
    if find_running "$service"; then
      pid=$PID
      uptime=$(ps -o etime= -p "$PID" | tr -d ' ')
      memory=$(ps -o rss= -p "$PID" | awk '{ printf "%d MB", $1 / 1024 }')
    fi
    # shellcheck disable=SC2059 # one format for all rows
    printf "$format" "$service" "$pid" "$state" "$(grpc_port "$service")" "$(http_port "$service")" \
      "$uptime" "$memory"
  done
  [ -n "$all_ready" ] || return 3
}

command_logs() {
  parse_home "$@"
  load_conf
  local follow="" lines=200 name=""
  set -- ${ARGS[@]+"${ARGS[@]}"}
  while [ $# -gt 0 ]; do
    case $1 in
      -f | --follow) follow=1 ;;
      -n | --lines)
        need_value "$1" $#
        need_number "$1" "$2" 1 999999
        lines=$2
        shift
        ;;
      -*) fail_unknown "option" "$1" "--follow --lines --home" ;;
      *)
        [ -z "$name" ] || fail_usage "logs shows one service at a time"
        name=$1
        ;;
    esac
    shift
  done
  [ -n "$name" ] || fail_usage "logs needs a service: $(service_list)"
  resolve_service "$name"
  [ -f "$(log_file "$SERVICE")" ] || fail "$SERVICE has no log in $CLUSTER_HOME/logs"
  exec tail -n "$lines" ${follow:+-F} "$(log_file "$SERVICE")"
}
