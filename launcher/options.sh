# shellcheck shell=bash
#
# Where a cluster's state is, what `up` was asked for, and what the home remembers of it.

readonly UP_OPTIONS="--tablets --coordinators --tiering --lake --no-lake --sql --no-sql --console --no-console --set --home --port-base --timeout --no-build"

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

# Sets TABLETS, COORDINATORS, TIERING, LAKE, SQL, CONSOLE, PORT_BASE and SETTINGS to what `up`
# remembered, or to the defaults. A switch is 1 or empty.
load_conf() {
  local line key value
  TABLETS=1
  COORDINATORS=1
  TIERING=1
  LAKE=1
  SQL=1
  CONSOLE=1
  PORT_BASE=$DEFAULT_PORT_BASE
  SETTINGS=()
  CONF_EXISTS=""
  [ -f "$CLUSTER_HOME/cluster.conf" ] || return 0
  CONF_EXISTS=1
  while IFS= read -r line; do
    key=${line%%=*}
    value=${line#*=}
    case $key in
      tablets) TABLETS=$value ;;
      coordinators) COORDINATORS=$value ;;
      tiering) TIERING=$value ;;
      lake) LAKE=$(switch_of "$value") ;;
      sql) SQL=$(switch_of "$value") ;;
      console) CONSOLE=$(switch_of "$value") ;;
      port-base) PORT_BASE=$value ;;
      set) SETTINGS+=("$value") ;;
      '' | '#'*) ;;
      *) fail "$CLUSTER_HOME/cluster.conf has an unknown key '$key'" ;;
    esac
  done <"$CLUSTER_HOME/cluster.conf"
}

switch_of() { [ "$1" = off ] || printf 1; }

word_of() { if [ -n "$1" ]; then printf on; else printf off; fi; }

save_conf() {
  {
    printf '%s\n' "# Written by ./sluice up" "tablets=$TABLETS" "coordinators=$COORDINATORS" \
      "tiering=$TIERING" "lake=$(word_of "$LAKE")" "sql=$(word_of "$SQL")" \
      "console=$(word_of "$CONSOLE")" "port-base=$PORT_BASE"
    [ ${#SETTINGS[@]} -eq 0 ] || printf 'set=%s\n' "${SETTINGS[@]}"
  } >"$CLUSTER_HOME/cluster.conf.new"
  mv "$CLUSTER_HOME/cluster.conf.new" "$CLUSTER_HOME/cluster.conf"
}

# Reads the options of `up` into WANT_* and OTHER_ARGS. What was not given is empty; a switch is on
# or off.
parse_up_options() {
  WANT_TABLETS="" WANT_COORDINATORS="" WANT_TIERING="" WANT_LAKE="" WANT_SQL="" WANT_CONSOLE=""
  WANT_PORT_BASE="" START_TIMEOUT=120 BUILD=1
  WANT_SETTINGS=()
  OTHER_ARGS=()
  while [ $# -gt 0 ]; do
    case $1 in
      --tablets | --coordinators | --tiering | --port-base | --timeout | --set)
        need_value "$1" $#
        read_up_value "$1" "$2"
        shift
        ;;
      --lake) WANT_LAKE=on ;;
      --no-lake) WANT_LAKE=off ;;
      --sql) WANT_SQL=on ;;
      --no-sql) WANT_SQL=off ;;
      --console) WANT_CONSOLE=on ;;
      --no-console) WANT_CONSOLE=off ;;
      --no-build) BUILD="" ;;
      *) OTHER_ARGS+=("$1") ;;
    esac
    shift
  done
}

read_up_value() {
  case $1 in
    --tablets)
      need_number "$1" "$2" 1 50
      WANT_TABLETS=$2
      ;;
    --coordinators)
      need_number "$1" "$2" 1 5
      case $2 in 2 | 4) fail_usage "--coordinators is $2; it must be 1, 3 or 5: of an even number no more may fail than of one less" ;; esac
      WANT_COORDINATORS=$2
      ;;
    --tiering)
      need_number "$1" "$2" 0 20
      WANT_TIERING=$2
      ;;
    --port-base)
      need_number "$1" "$2" 2000 64900
      WANT_PORT_BASE=$2
      ;;
    --timeout)
      need_number "$1" "$2" 1 3600
      START_TIMEOUT=$2
      ;;
    --set)
      need_setting "$2"
      WANT_SETTINGS+=("$2")
      ;;
  esac
}

# Merges what was asked for with what the home remembers; refuses what cannot be done.
apply_up_options() {
  local remembered_tablets=$TABLETS setting
  if [ -n "$WANT_COORDINATORS" ]; then
    if [ -n "$CONF_EXISTS" ] && [ "$WANT_COORDINATORS" != "$COORDINATORS" ]; then
      fail "the cluster in $CLUSTER_HOME has its metadata on $COORDINATORS coordinator(s), and their number stays as it was at the first start. Start a cluster with --coordinators $WANT_COORDINATORS in another --home"
    fi
    COORDINATORS=$WANT_COORDINATORS
  fi
  if [ -n "$WANT_PORT_BASE" ] && [ "$WANT_PORT_BASE" != "$PORT_BASE" ]; then
    any_running && fail "the cluster in $CLUSTER_HOME runs with --port-base $PORT_BASE; stop it first (./sluice down), or use another --home"
    if [ "$COORDINATORS" -gt 1 ] && [ -e "$CLUSTER_HOME/run/formed" ]; then
      fail "the $COORDINATORS coordinators in $CLUSTER_HOME know one another by the ports of --port-base $PORT_BASE, which cannot be changed. Use another --home"
    fi
    PORT_BASE=$WANT_PORT_BASE
  fi
  if [ -n "$WANT_TABLETS" ]; then
    if [ -n "$CONF_EXISTS" ] && [ "$WANT_TABLETS" -lt "$remembered_tablets" ]; then
      fail "the cluster in $CLUSTER_HOME has $remembered_tablets tablets; tablets cannot be taken away. Use another --home"
    fi
    TABLETS=$WANT_TABLETS
    if [ "$remembered_tablets" -lt 3 ] && [ "$TABLETS" -gt "$remembered_tablets" ] && find_running coordinator-1; then
      note "Notice: the coordinators that run give new tables as many replicas as before, until they are restarted"
    fi
  fi
  refuse_to_forget_running
  [ -z "$WANT_TIERING" ] || TIERING=$WANT_TIERING
  [ -z "$WANT_LAKE" ] || LAKE=$(switch_of "$WANT_LAKE")
  [ -z "$WANT_SQL" ] || SQL=$(switch_of "$WANT_SQL")
  [ -z "$WANT_CONSOLE" ] || CONSOLE=$(switch_of "$WANT_CONSOLE")
  for setting in ${WANT_SETTINGS[@]+"${WANT_SETTINGS[@]}"}; do add_setting "$setting"; done
}

# A service that this `up` leaves out must not run: nothing would know of it any more.
refuse_to_forget_running() {
  local service number
  for service in $(service_names); do
    number=$(service_number "$service")
    case $(service_kind "$service") in
      tiering) [ "$WANT_LAKE" = off ] || [ "$number" -gt "${WANT_TIERING:-$TIERING}" ] || continue ;;
      lake) [ "$WANT_LAKE" = off ] || continue ;;
      lake-sql) [ "$WANT_LAKE" = off ] || [ "$WANT_SQL" = off ] || continue ;;
      admin-ui) [ "$WANT_CONSOLE" = off ] || continue ;;
      *) continue ;;
    esac
    if find_running "$service"; then
      fail "$service runs; a service can be left out only while the cluster is stopped (./sluice down$(home_option))"
    fi
  done
}
