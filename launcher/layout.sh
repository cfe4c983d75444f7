# shellcheck shell=bash
#
# What a cluster consists of: the names of its services, the module each runs from, its ports, its
# Java options and its program arguments.
#
# A service is named KIND-NUMBER. Kinds: coordinator, tablet, tiering, lake, lake-sql, admin-ui.

readonly DEFAULT_PORT_BASE=9000
readonly SERVICE_KINDS="coordinator tablet tiering lake lake-sql admin-ui"

service_kind() { printf '%s' "${1%-*}"; }

service_number() { printf '%s' "${1##*-}"; }

# The Maven module whose jar a kind of service runs.
module_of_kind() {
  case $1 in
    admin-ui) printf 'admin-ui' ;;
    lake | lake-sql) printf 'lake-service' ;;
    *) printf '%s-service' "$1" ;;
  esac
}

# The services of this cluster, one a line. While class-data archives are made, only the kinds that
# SLUICE_TRAINING names, and a coordinator for them.
service_names() {
  local i
  for ((i = 1; i <= COORDINATORS; i++)); do printf 'coordinator-%s\n' "$i"; done
  if is_wanted tablet; then
    for ((i = 1; i <= TABLETS; i++)); do printf 'tablet-%s\n' "$i"; done
  fi
  if [ -n "$LAKE" ]; then
    if is_wanted tiering; then
      for ((i = 1; i <= TIERING; i++)); do printf 'tiering-%s\n' "$i"; done
    fi
    if is_wanted lake; then printf 'lake-1\n'; fi
    if [ -n "$SQL" ] && is_wanted lake-sql; then printf 'lake-sql-1\n'; fi
  fi
  if [ -n "$CONSOLE" ] && is_wanted admin-ui; then printf 'admin-ui-1\n'; fi
}

is_wanted() {
  [ -n "${SLUICE_TRAINING:-}" ] || return 0
  case " $SLUICE_TRAINING " in *" $1 "*) return 0 ;; *) return 1 ;; esac
}

# The kinds of the services of this cluster, each once.
cluster_kinds() {
  local service kind kinds=""
  for service in $(service_names); do
    kind=$(service_kind "$service")
    case " $kinds " in *" $kind "*) ;; *) kinds="$kinds${kinds:+ }$kind" ;; esac
  done
  printf '%s' "$kinds"
}

# The modules that the services of this cluster run from, each once.
cluster_modules() {
  local kind module modules=""
  for kind in $(cluster_kinds); do
    module=$(module_of_kind "$kind")
    case " $modules " in *" $module "*) ;; *) modules="$modules${modules:+ }$module" ;; esac
  done
  printf '%s' "$modules"
}

# The names of the services, for messages.
service_list() {
  service_names | paste -s -d ' ' -
}

# Sets SERVICE from a name a person typed; a kind alone means the first of it.
resolve_service() {
  local name
  SERVICE=$1
  case $SERVICE in
    sql) SERVICE=lake-sql-1 ;;
    console) SERVICE=admin-ui-1 ;;
    *) case " $SERVICE_KINDS " in *" $SERVICE "*) SERVICE=$SERVICE-1 ;; esac ;;
  esac
  for name in $(service_names); do
    [ "$name" = "$SERVICE" ] && return 0
  done
  fail_unknown "service" "$1" "$(service_list)"
}

# The port of gRPC or Arrow Flight; nothing for a service that has none.
grpc_port() {
  local index=$(($(service_number "$1") - 1))
  case $(service_kind "$1") in
    coordinator) printf '%s' $((PORT_BASE + 123 + index)) ;;
    tablet) printf '%s' $((PORT_BASE + 223 + index)) ;;
    lake) printf '%s' $((PORT_BASE + 423 + index)) ;;
    lake-sql) printf '%s' $((PORT_BASE + 523 + index)) ;;
  esac
}

http_port() {
  local index=$(($(service_number "$1") - 1))
  case $(service_kind "$1") in
    coordinator) printf '%s' $((PORT_BASE + 180 + index)) ;;
    tablet) printf '%s' $((PORT_BASE + 280 + index)) ;;
    tiering) printf '%s' $((PORT_BASE + 380 + index)) ;;
    lake) printf '%s' $((PORT_BASE + 480 + index)) ;;
    lake-sql) printf '%s' $((PORT_BASE + 580 + index)) ;;
    # 8080 for the default base.
    admin-ui) printf '%s' $((PORT_BASE - 920 + index)) ;;
  esac
}

# The port by which the coordinators talk to one another.
raft_port() { printf '%s' $((PORT_BASE + 132 + $(service_number "$1"))); }

# The ports of a service, with a blank between them.
service_ports() {
  local grpc
  grpc=$(grpc_port "$1")
  printf '%s' "$grpc${grpc:+ }$(http_port "$1")"
  [ "$(service_kind "$1")" != coordinator ] || printf ' %s' "$(raft_port "$1")"
}

grpc_address() { printf '127.0.0.1:%s' "$(grpc_port "$1")"; }

http_url() { printf 'http://127.0.0.1:%s' "$(http_port "$1")"; }

coordinator_addresses() {
  local i addresses=""
  for ((i = 1; i <= COORDINATORS; i++)); do
    addresses="$addresses${addresses:+,}$(grpc_address "coordinator-$i")"
  done
  printf '%s' "$addresses"
}

# HTTP of all coordinators, with commas.
coordinator_urls() {
  local i urls=""
  for ((i = 1; i <= COORDINATORS; i++)); do
    urls="$urls${urls:+,}$(http_url "coordinator-$i")"
  done
  printf '%s' "$urls"
}

# A coordinator as the others know it: id=host:raft:grpc:http.
coordinator_peer() {
  printf '%s=127.0.0.1:%s:%s:%s' "$(service_number "$1")" "$(raft_port "$1")" "$(grpc_port "$1")" \
    "$(http_port "$1")"
}

coordinator_peers() {
  local i peers=""
  for ((i = 1; i <= COORDINATORS; i++)); do
    peers="$peers${peers:+,}$(coordinator_peer "coordinator-$i")"
  done
  printf '%s' "$peers"
}

# The directory that a coordinator keeps its `coordinator` directory in.
coordinator_home() {
  if [ "$1" = coordinator-1 ]; then
    printf '%s' "$CLUSTER_HOME"
  else
    printf '%s/%s' "$CLUSTER_HOME" "$1"
  fi
}

# As many replicas as there are tablets, but no more than three.
default_replication_factor() {
  if [ "$TABLETS" -lt 3 ]; then printf '%s' "$TABLETS"; else printf 3; fi
}

# Prints the Java options of a service, one a line. Compiling with C1 only halves the work of
# starting; services that move many rows keep C2.
java_options() {
  printf '%s\n' -Dfile.encoding=UTF-8 "-XX:ErrorFile=$CLUSTER_HOME/logs/$1-crash-%p.log" \
    -XX:+ExitOnOutOfMemoryError --add-opens=java.base/java.nio=ALL-UNNAMED \
    "-Djava.io.tmpdir=$(temporary_dir "$1")"
  case $(service_kind "$1") in
    coordinator)
      printf '%s\n' -Xms32m -Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1
      extra_options "${SLUICE_COORDINATOR_JAVA_OPTS:-}"
      ;;
    tablet)
      # C2 compiles long chains of small calls in parts: it is done in half the time, and the code is
      # no slower. Netty's buffers are not filled with zeros, answers to followers fit its pool,
      # and no stack traces are taken of some of them.
      printf '%s\n' -Xms64m -Xmx512m -XX:+UseG1GC -XX:MaxGCPauseMillis=50 \
        -XX:MaxInlineLevel=9 -XX:InlineSmallCode=1000 -Dio.netty.tryReflectionSetAccessible=true \
        -Dio.netty.allocator.maxOrder=11 -Dio.netty.leakDetection.level=disabled
      extra_options "${SLUICE_TABLET_JAVA_OPTS:-}"
      ;;
    tiering)
      # Open Parquet row groups are in the heap.
      printf '%s\n' -Xms32m -Xmx512m -XX:+UseSerialGC
      extra_options "${SLUICE_TIERING_JAVA_OPTS:-}"
      ;;
    lake)
      printf '%s\n' -Xms32m -Xmx384m -XX:+UseSerialGC -XX:TieredStopAtLevel=1
      extra_options "${SLUICE_LAKE_JAVA_OPTS:-}"
      ;;
    lake-sql)
      # DuckDB does the work, in memory outside of the heap, bounded by sluice.sql.memory.
      printf '%s\n' -Xms32m -Xmx512m -XX:+UseSerialGC -XX:TieredStopAtLevel=1
      extra_options "${SLUICE_LAKE_SQL_JAVA_OPTS:-}"
      ;;
    admin-ui)
      printf '%s\n' -Xms16m -Xmx128m -XX:+UseSerialGC -XX:TieredStopAtLevel=1
      extra_options "${SLUICE_CONSOLE_JAVA_OPTS:-}"
      ;;
  esac
}

# Splits options at blanks.
extra_options() {
  local option
  for option in $1; do printf '%s\n' "$option"; done
}

# Prints the program arguments of a service, one a line: the launcher's own, and those of `--set`
# instead of or after them. For the same key the service's own setting counts before that of its
# kind, and that before one for all.
service_arguments() {
  {
    default_arguments "$1"
    settings_of all
    settings_of "$(service_kind "$1")"
    settings_of "$1"
  } | awk '{
    key = $0; sub(/=.*/, "", key)
    if (!(key in last)) order[++count] = key
    last[key] = $0
  } END { for (i = 1; i <= count; i++) print last[order[i]] }'
}

default_arguments() {
  local port
  port=$(grpc_port "$1")
  [ -z "$port" ] || printf '%s\n' "--spring.grpc.server.port=$port"
  printf '%s\n' "--server.port=$(http_port "$1")" \
    "--sluice.cluster.secret-file=$CLUSTER_HOME/cluster-secret"
  case $(service_kind "$1") in
    coordinator)
      printf '%s\n' "--sluice.home=$(coordinator_home "$1")" \
        "--sluice.coordinator.id=$(service_number "$1")" \
        "--sluice.coordinator.peers=$(coordinator_peers)" \
        "--sluice.default-replication-factor=$(default_replication_factor)"
      printf '%s\n' "--sluice.tiering.workers-expected=${LAKE:+$TIERING}" | sed 's/=$/=0/'
      ;;
    tablet)
      printf '%s\n' "--sluice.tablet.id=$(service_number "$1")" \
        "--sluice.tablet.data-dir=$CLUSTER_HOME/$1" \
        "--sluice.tablet.coordinators=$(coordinator_addresses)"
      ;;
    tiering)
      printf '%s\n' "--sluice.tiering.worker-id=$1" \
        "--sluice.tiering.coordinators=$(coordinator_addresses)" \
        "--sluice.tiering.lake=$(grpc_address lake-1)"
      ;;
    lake)
      printf '%s\n' --sluice.lake.role=lake \
        "--sluice.lake.coordinators=$(coordinator_addresses)" \
        "--sluice.lake.warehouse=$CLUSTER_HOME/warehouse" \
        "--sluice.lake.catalog-dir=$CLUSTER_HOME/$1"
      ;;
    lake-sql)
      printf '%s\n' --sluice.lake.role=sql \
        "--sluice.sql.coordinators=$(coordinator_addresses)" \
        "--sluice.sql.lake=$(grpc_address lake-1)" \
        "--sluice.sql.warehouse=$CLUSTER_HOME/warehouse" "--sluice.sql.work-dir=$CLUSTER_HOME/$1"
      ;;
    admin-ui)
      printf '%s\n' "--sluice.console.coordinators=$(coordinator_urls)" \
        "--sluice.console.sql=$(http_url lake-sql-1)"
      ;;
  esac
}

# Prints `--key=value` for each setting that was made with `--set SCOPE.key=value`.
settings_of() {
  local setting
  for setting in ${SETTINGS[@]+"${SETTINGS[@]}"}; do
    case $setting in "$1".*) printf '%s\n' "--${setting#"$1".}" ;; esac
  done
}

# Adds SCOPE.key=value to SETTINGS in the place of what was set for the key before; an empty value
# only takes that away.
add_setting() {
  local setting name=${1%%=*}
  local -a kept=()
  for setting in ${SETTINGS[@]+"${SETTINGS[@]}"}; do
    [ "${setting%%=*}" = "$name" ] || kept+=("$setting")
  done
  [ -z "${1#*=}" ] || kept+=("$1")
  SETTINGS=(${kept[@]+"${kept[@]}"})
}

# Refuses what cannot be a setting: its scope must be a service, a kind of service or `all`.
need_setting() {
  local scope=${1%%.*} key=${1#*.} kind known="all $SERVICE_KINDS"
  case $1 in *.*=*) ;; *) fail_usage "--set needs SERVICE.key=value, not '$1'" ;; esac
  key=${key%%=*}
  case $key in
    '' | *[!A-Za-z0-9._-]*) fail_usage "--set $1: '$key' is not the name of a setting" ;;
  esac
  case $1 in *$'\n'*) fail_usage "--set: a value is one line" ;; esac
  for kind in $known; do
    case $scope in "$kind" | "$kind"-[1-9] | "$kind"-[1-9][0-9]) return 0 ;; esac
  done
  fail_unknown "service in --set" "$scope" "$known"
}
