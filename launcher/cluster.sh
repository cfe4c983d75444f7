# shellcheck shell=bash
#
# A cluster: the services that share one home directory, and the commands that work on them.

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

any_running() {
  local service
  for service in $(service_names); do
    find_running "$service" && return 0
  done
  return 1
}

command_up() {
  parse_home "$@"
  parse_up_options ${ARGS[@]+"${ARGS[@]}"}
  [ ${#OTHER_ARGS[@]} -eq 0 ] || fail_unknown "option" "${OTHER_ARGS[0]}" "$UP_OPTIONS"
  start_cluster
  if [ -n "${SLUICE_TRAINING:-}" ]; then
    exercise_services
  else
    print_urls
  fi
}

# Starts what does not run yet; says so when everything does.
start_cluster() {
  load_conf
  apply_up_options
  need_java
  # shellcheck disable=SC2046 # module names have no blanks
  [ -z "$BUILD" ] || ensure_built $(cluster_modules)
  if [ -z "${SLUICE_TRAINING:-}" ]; then
    # shellcheck disable=SC2046 # kinds have no blanks
    ensure_images $(cluster_kinds)
    # Where some services run, the others are being waited for.
    # shellcheck disable=SC2046
    any_running || ensure_archives $(cluster_kinds)
  fi
  prepare_home
  with_lock "$CLUSTER_HOME/run/lock" start_missing
}

start_missing() {
  local service started=$SECONDS
  local -a running=() missing=()
  for service in $(service_names); do
    if find_running "$service"; then
      running+=("$service")
    elif has_lost_metadata "$service"; then
      note "Notice: $service has lost its metadata and is left out ($(coordinator_home "$service")/coordinator is not there). If no other one has taken its place: see 'Replacing a coordinator' in docs/operations.md"
    else
      missing+=("$service")
    fi
  done
  case " ${running[*]-} ${missing[*]-}" in
    *" coordinator-"*) ;;
    *) fail "every coordinator in $CLUSTER_HOME has lost its metadata, so nobody knows the tables. Put back a copy of their directories, or start anew in another --home" ;;
  esac
  if [ ${#missing[@]} -eq 0 ]; then
    save_conf
    wait_ready "$START_TIMEOUT" "${running[@]}" >/dev/null
    say "Already up: ${#running[@]} services in $CLUSTER_HOME"
    tell_of_settings
    return 0
  fi
  for service in "${missing[@]}"; do check_ports "$service"; done
  save_conf
  say "Starting ${missing[*]} in $CLUSTER_HOME"
  for service in "${missing[@]}"; do start_service "$service"; done
  wait_ready "$START_TIMEOUT" ${running[@]+"${running[@]}"} "${missing[@]}"
  touch "$CLUSTER_HOME/run/formed"
  say "Up in $((SECONDS - started)) s"
  [ ${#running[@]} -eq 0 ] || tell_of_settings
}

# A coordinator that has lost its directory may not come back as if it were new: it could help to
# elect one that does not know what it has promised to keep. The others go on without it.
has_lost_metadata() {
  [ "$(service_kind "$1")" = coordinator ] && [ "$COORDINATORS" -gt 1 ] &&
    [ -e "$CLUSTER_HOME/run/formed" ] && [ ! -d "$(coordinator_home "$1")/coordinator/raft" ]
}

check_metadata() {
  ! has_lost_metadata "$1" ||
    fail "$1 has lost its metadata ($(coordinator_home "$1")/coordinator is not there). It cannot start empty under its old id: see 'Replacing a coordinator' in docs/operations.md"
}

# A process keeps the settings it was started with.
tell_of_settings() {
  [ ${#WANT_SETTINGS[@]} -eq 0 ] ||
    note "Notice: services that ran already get new settings when they are restarted"
}

print_urls() {
  local service
  for service in $(service_names); do
    case $service in
      coordinator-*) say_url "$service" "metadata gRPC $(grpc_address "$service")   REST $(http_url "$service")/api/v1/tables" ;;
      tablet-*) say_url "$service" "Arrow Flight grpc://$(grpc_address "$service")" ;;
      tiering-*) say_url "$service" "health $(http_url "$service")/actuator/health" ;;
      lake-sql-*) say_url "$service" "SQL over REST $(http_url "$service")/api/v1/sql" ;;
      lake-*) say_url "$service" "Iceberg REST catalog $(http_url "$service")/iceberg" ;;
      admin-ui-*) say_url "$service" "console $(http_url "$service")" ;;
    esac
  done
}

say_url() { say "$(printf '  %-14s %s' "$1" "$2")"; }

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

# Stops those who work before those whom they need, each group in parallel: a tiering worker still
# finds the lake and the coordinator when it gives its tables back.
stop_all() {
  local kinds service stopped=0
  local -a pids
  for kinds in " tiering lake-sql admin-ui " " lake " " tablet " " coordinator "; do
    pids=()
    for service in $(service_names); do
      case $kinds in *" $(service_kind "$service") "*) ;; *) continue ;; esac
      if find_running "$service"; then
        stopped=$((stopped + 1))
        say "Stopping $service (pid $PID)"
      fi
      stop_service "$service" &
      pids+=($!)
    done
    for service in ${pids[@]+"${pids[@]}"}; do wait "$service" || true; done
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

command_stop() {
  parse_home "$@"
  load_conf
  [ ${#ARGS[@]} -ge 1 ] || fail_usage "stop needs a service: $(service_list)"
  no_more_arguments "${ARGS[@]:1}"
  resolve_service "${ARGS[0]}"
  [ -d "$CLUSTER_HOME/run" ] || fail "there is no cluster in $CLUSTER_HOME; start one with ./sluice up"
  with_lock "$CLUSTER_HOME/run/lock" stop_one
}

stop_one() {
  if stop_service "$SERVICE"; then
    say "Stopped $SERVICE"
  else
    say "$SERVICE does not run"
  fi
}

command_restart() {
  prepare_one restart "$@"
  with_lock "$CLUSTER_HOME/run/lock" restart_service
}

command_start() {
  prepare_one start "$@"
  with_lock "$CLUSTER_HOME/run/lock" start_one
}

# Reads the arguments of a command that starts one service: prepare_one COMMAND ARGUMENT...
prepare_one() {
  local command=$1
  shift
  parse_home "$@"
  parse_up_options ${ARGS[@]+"${ARGS[@]}"}
  load_conf
  [ ${#OTHER_ARGS[@]} -ge 1 ] || fail_usage "$command needs a service: $(service_list)"
  no_more_arguments "${OTHER_ARGS[@]:1}"
  [ -z "$WANT_TABLETS$WANT_COORDINATORS$WANT_TIERING$WANT_LAKE$WANT_SQL$WANT_CONSOLE$WANT_PORT_BASE" ] ||
    fail_usage "$command takes only --set and --timeout; the other options belong to up"
  resolve_service "${OTHER_ARGS[0]}"
  [ -n "$CONF_EXISTS" ] || fail "there is no cluster in $CLUSTER_HOME; start one with ./sluice up"
  need_java
  ensure_images "$(service_kind "$SERVICE")"
}

restart_service() {
  local started=$SECONDS
  remember_settings
  if stop_service "$SERVICE"; then
    say "Stopped $SERVICE"
  fi
  start_and_wait
  say "Restarted $SERVICE in $((SECONDS - started)) s"
}

start_one() {
  local started=$SECONDS
  remember_settings
  if find_running "$SERVICE"; then
    say "$SERVICE runs already (pid $PID)"
    tell_of_settings
    return 0
  fi
  start_and_wait
  say "Started $SERVICE in $((SECONDS - started)) s"
}

remember_settings() {
  local setting
  for setting in ${WANT_SETTINGS[@]+"${WANT_SETTINGS[@]}"}; do add_setting "$setting"; done
  [ ${#WANT_SETTINGS[@]} -eq 0 ] || save_conf
}

start_and_wait() {
  check_ports "$SERVICE"
  check_metadata "$SERVICE"
  start_service "$SERVICE"
  wait_ready "$START_TIMEOUT" "$SERVICE"
}

# One word for what a service is doing. A coordinator without its metadata is `lost`, or `replaced`
# when the others say that they are no longer a group with it.
service_state() {
  if find_running "$1"; then
    case $(process_state "$PID") in
      T | t) printf 'paused' ;;
      *) if is_ready "$1"; then printf 'ready'; else printf 'not ready'; fi ;;
    esac
  elif has_lost_metadata "$1"; then
    if is_no_member "$1"; then printf 'replaced'; else printf 'lost'; fi
  elif [ -f "$(pid_file "$1")" ]; then
    printf 'died'
  else
    printf 'stopped'
  fi
}

# Whether a coordinator that knows a leader says that this one is not in the group.
is_no_member() {
  local other group
  for other in $(service_names); do
    [ "$(service_kind "$other")" = coordinator ] && find_running "$other" || continue
    group=$(http_get "$(http_port "$other")" /api/v1/coordinators) || continue
    case $group in *'"leader":"'*) ;; *) continue ;; esac
    case $group in *"\"id\":\"$(service_number "$1")\""*) return 1 ;; *) return 0 ;; esac
  done
  return 1
}

# What there is to say of a service besides its state: whether a coordinator leads.
service_remark() {
  [ "$(service_kind "$1")" = coordinator ] && [ "$2" = ready ] || return 0
  case $(http_get "$(http_port "$1")" /api/v1/coordinators) in
    *'"role":"LEADER"'*) printf 'leads' ;;
    *'"role":"FOLLOWER"'*) printf 'follows' ;;
  esac
}

# Exit code 0 when every service is ready, 3 otherwise; one that was replaced is not missed.
command_status() {
  parse_home "$@"
  no_more_arguments ${ARGS[@]+"${ARGS[@]}"}
  load_conf
  local service state pid uptime memory grpc all_ready=1 format='%-15s %-8s %-10s %-12s %-12s %-10s %-8s %s\n'
  say "Cluster in $CLUSTER_HOME"
  # shellcheck disable=SC2059 # one format for all rows
  printf "$format" SERVICE PID STATE GRPC HTTP UPTIME MEMORY "" | sed 's/ *$//'
  for service in $(service_names); do
    state=$(service_state "$service")
    case $state in ready | replaced) ;; *) all_ready="" ;; esac
    pid=- uptime=- memory=-
    if find_running "$service"; then
      pid=$PID
      uptime=$(ps -o etime= -p "$PID" | tr -d ' ')
      memory=$(ps -o rss= -p "$PID" | awk '{ printf "%d MB", $1 / 1024 }')
    fi
    grpc=$(grpc_port "$service")
    # shellcheck disable=SC2059 # one format for all rows
    printf "$format" "$service" "$pid" "$state" "${grpc:--}" "$(http_port "$service")" "$uptime" \
      "$memory" "$(service_remark "$service" "$state")" | sed 's/ *$//'
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
