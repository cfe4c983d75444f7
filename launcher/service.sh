# shellcheck shell=bash
#
# One service process: starting, finding, stopping it, and the files that go with it.
#
# HOME/cluster.conf         what `up` was asked for
# HOME/cluster-secret       shared by the services of this cluster
# HOME/run/SERVICE.pid      process id of the process that `up` started
# HOME/run/SERVICE.start    its start time, and the boot of the machine
# HOME/logs/SERVICE.log     what the process printed
# HOME/run/tmp/SERVICE/     what the process unpacks, such as native libraries; emptied at its start
# HOME/run/formed           all services of the cluster were ready once
# HOME/coordinator/, HOME/coordinator-N/coordinator/, HOME/tablet-N/, HOME/lake-1/
#                           what the service must not lose
# HOME/warehouse/           files of the lake
# HOME/lake-sql-1/          what queries spill
#
# A process is ours only when its id, its start time and the boot of the machine all match these
# files, so a recycled process id is never mistaken for a service.

readonly STOP_TIMEOUT=30
# While training, a service writes its archive before it ends.
readonly TRAINING_STOP_TIMEOUT=300

pid_file() { printf '%s/run/%s.pid' "$CLUSTER_HOME" "$1"; }

start_file() { printf '%s/run/%s.start' "$CLUSTER_HOME" "$1"; }

temporary_dir() { printf '%s/run/tmp/%s' "$CLUSTER_HOME" "$1"; }

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
  for port in $(service_ports "$1"); do
    if port_in_use "$port"; then
      fail "port $port, needed by $1, is in use$(port_owner "$port"). Stop that process or choose other ports: ./sluice up --port-base 19000"
    fi
  done
}

# Starts a service's process and writes its pid file; does not wait until it is ready.
start_service() {
  local kind module dir log line
  local -a words=()
  kind=$(service_kind "$1")
  module=$(module_of_kind "$kind")
  dir=$(image_dir "$module")
  log=$(log_file "$1")
  while IFS= read -r line; do words+=("$line"); done < <(
    java_options "$1"
    archive_options "$dir" "$kind"
    printf '%s\n' -jar "$dir/$(image_main_jar "$module")"
    service_arguments "$1"
  )
  rm -rf "$(temporary_dir "$1")"
  mkdir -p "$(temporary_dir "$1")"
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

# Waits until the services are ready. Fails with the last log lines of one that is not. Starting
# services need the processors, so this loop starts few processes: ports are looked up once.
wait_ready() {
  local timeout=$1 deadline=$((SECONDS + $1)) entry service
  local -a waiting=()
  shift
  for service in "$@"; do waiting+=("$service:$(http_port "$service")"); done
  while [ ${#waiting[@]} -gt 0 ]; do
    local -a still=()
    for entry in "${waiting[@]}"; do
      service=${entry%:*}
      if http_ok "${entry#*:}" /actuator/health/readiness && find_running "$service"; then
        say "  $service is ready"
      elif is_gone "$service"; then
        explain_failure "$service" "$service stopped while starting"
      else
        still+=("$entry")
      fi
    done
    waiting=(${still[@]+"${still[@]}"})
    [ ${#waiting[@]} -eq 0 ] && return 0
    if [ $SECONDS -ge $deadline ]; then
      still=()
      for entry in "${waiting[@]}"; do still+=("${entry%:*}"); done
      explain_failure "${still[0]}" "${still[*]} not ready after $timeout s"
    fi
    sleep 0.3
  done
}

# A quick look, without other programs where the system has /proc: no process of this id is left.
is_gone() {
  local pid="" stat=""
  read -r pid <"$CLUSTER_HOME/run/$1.pid" || return 0
  kill -0 "$pid" 2>/dev/null || return 0
  if [ -r "/proc/$pid/stat" ]; then
    read -r stat <"/proc/$pid/stat" || return 0
    case ${stat##*) } in Z* | X*) return 0 ;; esac
  fi
  return 1
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
