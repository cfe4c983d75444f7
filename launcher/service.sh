# shellcheck shell=bash
#
# One service process: where it lives, its ports and options, starting, finding, stopping.
#
# HOME/cluster.conf         what `up` was asked for
# HOME/cluster-secret       shared by the services of this cluster
# HOME/run/SERVICE.pid      process id of the process that `up` started
# HOME/run/SERVICE.start    its start time, and the boot of the machine
# HOME/logs/SERVICE.log     what the process printed
# HOME/coordinator/, HOME/tablet-N/   the service's data
#
# A process is ours only when its id, its start time and the boot of the machine all match these
# files, so a recycled process id is never mistaken for a service.

readonly DEFAULT_PORT_BASE=9000
readonly STOP_TIMEOUT=30
# While training, a service writes its archive before it ends.
readonly TRAINING_STOP_TIMEOUT=300

service_kind() { printf '%s' "${1%-*}"; }

service_number() { printf '%s' "${1##*-}"; }

service_names() {
  local i
  for ((i = 1; i <= COORDINATORS; i++)); do printf 'coordinator-%s\n' "$i"; done
  for ((i = 1; i <= TABLETS; i++)); do printf 'tablet-%s\n' "$i"; done
}

# Sets SERVICE from a name a person typed; "coordinator" and "tablet" mean the first of them.
resolve_service() {
  local name
  SERVICE=$1
  case $SERVICE in coordinator | tablet) SERVICE=$SERVICE-1 ;; esac
  for name in $(service_names); do
    [ "$name" = "$SERVICE" ] && return 0
  done
  fail_unknown "service" "$1" "$(service_list)"
}

grpc_port() {
  local number
  number=$(service_number "$1")
  case $1 in
    coordinator-*) printf '%s' $((PORT_BASE + 123 + number - 1)) ;;
    *) printf '%s' $((PORT_BASE + 223 + number - 1)) ;;
  esac
}

http_port() {
  local number
  number=$(service_number "$1")
  case $1 in
    coordinator-*) printf '%s' $((PORT_BASE + 180 + number - 1)) ;;
    *) printf '%s' $((PORT_BASE + 280 + number - 1)) ;;
  esac
}

coordinator_addresses() {
  local i addresses=""
  for ((i = 1; i <= COORDINATORS; i++)); do
    addresses="$addresses${addresses:+,}127.0.0.1:$(grpc_port "coordinator-$i")"
  done
  printf '%s' "$addresses"
}

pid_file() { printf '%s/run/%s.pid' "$CLUSTER_HOME" "$1"; }

start_file() { printf '%s/run/%s.start' "$CLUSTER_HOME" "$1"; }

log_file() { printf '%s/logs/%s.log' "$CLUSTER_HOME" "$1"; }

# Prints what tells two processes of the same id apart: start time in ticks, and the boot.
process_identity() {
  if [ -r "/proc/$1/stat" ]; then
    sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | awk '{ printf "%s ", $20 }'
    cat /proc/sys/kernel/random/boot_id
  else
    ps -o lstart= -p "$1" 2>/dev/null
  fi
}

# Prints the state letter of a process (R, S, T, Z ...), or nothing.
process_state() {
  ps -o state= -p "$1" 2>/dev/null | cut -c 1
}

# Sets PID and returns 0 when the service's process runs.
find_running() {
  PID=""
  [ -f "$(pid_file "$1")" ] && [ -f "$(start_file "$1")" ] || return 1
  read -r PID <"$(pid_file "$1")" || return 1
  [ -n "$PID" ] && kill -0 "$PID" 2>/dev/null || return 1
  [ "$(process_identity "$PID")" = "$(cat "$(start_file "$1")")" ] || return 1
  [ "$(process_state "$PID")" != Z ]
}

is_ready() {
  http_ok "$(http_port "$1")" /actuator/health/readiness
}

# Refuses to start a service onto ports that someone else holds.
check_ports() {
  local port
  for port in "$(grpc_port "$1")" "$(http_port "$1")"; do
    if port_in_use "$port"; then
      fail "port $port, needed by $1, is in use$(port_owner "$port"). Stop that process or choose other ports: ./sluice up --port-base 19000"
    fi
  done
}

# Prints the Java options of a service, one a line.
java_options() {
  printf '%s\n' -Dfile.encoding=UTF-8 "-XX:ErrorFile=$CLUSTER_HOME/logs/$1-crash-%p.log" \
    -XX:+ExitOnOutOfMemoryError --add-opens=java.base/java.nio=ALL-UNNAMED
  case $1 in
    coordinator-*)
      printf '%s\n' -Xms32m -Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1
      extra_options "${SLUICE_COORDINATOR_JAVA_OPTS:-}"
      ;;
    *)
      printf '%s\n' -Xms64m -Xmx512m -XX:+UseG1GC -XX:MaxGCPauseMillis=50
      extra_options "${SLUICE_TABLET_JAVA_OPTS:-}"
      ;;
  esac
}

# Splits options at blanks.
extra_options() {
  local option
  for option in $1; do printf '%s\n' "$option"; done
}

# Prints the program arguments of a service, one a line.
service_arguments() {
  printf '%s\n' "--spring.grpc.server.port=$(grpc_port "$1")" "--server.port=$(http_port "$1")" \
    "--sluice.cluster.secret-file=$CLUSTER_HOME/cluster-secret"
  case $1 in
    coordinator-*)
      printf '%s\n' "--sluice.home=$CLUSTER_HOME" "--sluice.coordinator.id=$(service_number "$1")"
      ;;
    *)
      printf '%s\n' "--sluice.tablet.id=$(service_number "$1")" \
        "--sluice.tablet.data-dir=$CLUSTER_HOME/$1" \
        "--sluice.tablet.coordinators=$(coordinator_addresses)"
      ;;
  esac
}

# Starts a service's process and writes its pid file; does not wait until it is ready.
start_service() {
  local module dir log line
  local -a words=()
  module=$(service_kind "$1")-service
  dir=$(image_dir "$module")
  log=$(log_file "$1")
  while IFS= read -r line; do words+=("$line"); done < <(
    java_options "$1"
    archive_options "$dir"
    printf '%s\n' -jar "$dir/$(image_main_jar "$module")"
    service_arguments "$1"
  )
  [ -f "$log" ] && mv -f "$log" "$log.1"
  : >"$log"
  # A tablet keeps many files open.
  ulimit -n "$(ulimit -Hn)" 2>/dev/null || true
  if command -v setsid >/dev/null 2>&1; then
    (cd "$CLUSTER_HOME" && exec setsid nohup "$JAVA" "${words[@]}") >>"$log" 2>&1 9>&- </dev/null &
  else
    (cd "$CLUSTER_HOME" && exec nohup "$JAVA" "${words[@]}") >>"$log" 2>&1 9>&- </dev/null &
  fi
  local pid=$!
  process_identity "$pid" >"$(start_file "$1")"
  printf '%s\n' "$pid" >"$(pid_file "$1").new"
  mv "$(pid_file "$1").new" "$(pid_file "$1")"
}

# Waits until the services are ready. Fails with the last log lines of one that is not.
wait_ready() {
  local timeout=$1 deadline=$((SECONDS + $1)) service
  local -a waiting=()
  shift
  waiting=("$@")
  while [ ${#waiting[@]} -gt 0 ]; do
    local -a still=()
    for service in "${waiting[@]}"; do
      if ! find_running "$service"; then
        explain_failure "$service" "$service stopped while starting"
      elif is_ready "$service"; then
        say "  $service is ready"
      else
        still+=("$service")
      fi
    done
    waiting=(${still[@]+"${still[@]}"})
    [ ${#waiting[@]} -eq 0 ] && return 0
    if [ $SECONDS -ge $deadline ]; then
      explain_failure "${waiting[0]}" "${waiting[*]} not ready after $timeout s"
    fi
    sleep 0.2
  done
}

explain_failure() {
  note "Last lines of $(log_file "$1"):"
  tail -n 25 "$(log_file "$1")" | sed 's/^/  | /' >&2
  fail "$2. ./sluice status$(home_option) shows what runs, ./sluice down$(home_option) stops it"
}

# Stops a service: SIGTERM, a pause, then SIGKILL. True when it was running.
stop_service() {
  local pid timeout=$STOP_TIMEOUT deadline
  if ! find_running "$1"; then
    rm -f "$(pid_file "$1")" "$(start_file "$1")"
    return 1
  fi
  pid=$PID
  [ -z "${SLUICE_TRAINING:-}" ] || timeout=$TRAINING_STOP_TIMEOUT
  kill -TERM "$pid" 2>/dev/null || true
  kill -CONT "$pid" 2>/dev/null || true
  deadline=$((SECONDS + timeout))
  while find_running "$1" && [ $SECONDS -lt $deadline ]; do
    sleep 0.1
  done
  if find_running "$1"; then
    note "Notice: $1 (pid $pid) did not stop within $timeout s; killing it"
    kill_service "$1"
  fi
  rm -f "$(pid_file "$1")" "$(start_file "$1")"
}

# Kills a service with SIGKILL and waits until it is gone. The pid file stays, as after any crash.
kill_service() {
  local i
  find_running "$1" || return 1
  kill -KILL "$PID" 2>/dev/null || true
  for ((i = 0; i < 100; i++)); do
    find_running "$1" || return 0
    sleep 0.05
  done
  fail "$1 (pid $PID) is still there 5 s after kill -9"
}
