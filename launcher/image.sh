# shellcheck shell=bash
#
# Images: a copy of a service's jars that its processes run from, so that a later build cannot pull
# the jars from under a running cluster, with a class-data archive that halves the work of starting.
#
# target/image/MODULE-KEY/      MODULE.jar, lib/, and for each kind of service that runs from it
#                               KIND.jsa (or KIND.failed)
# target/image/MODULE.current   path of the image to start from
# KEY is a digest of the jars' names, sizes and times and of the Java version.

image_main_jar() {
  basename "$(module_jar "$1")"
}

# The directory of the image that belongs to what is built now.
built_image_dir() {
  local target=$SLUICE_ROOT/$1/target key
  key=$(
    {
      printf '%s\n' "$JAVA_TEXT"
      cd "$target" && stat -c '%n %s %Y' "$(image_main_jar "$1")" lib/*.jar
    } | sha256sum | cut -c 1-16
  )
  printf '%s/target/image/%s-%s' "$SLUICE_ROOT" "$1" "$key"
}

# The directory of the image to start from: the one that make_images last looked at, whatever has
# been built since.
image_dir() {
  cat "$SLUICE_ROOT/target/image/$1.current"
}

# Makes the images of these kinds of services where they are missing. That is soon done: whoever
# waits for a service to come back does not wait for more.
ensure_images() {
  with_lock "$SLUICE_ROOT/target/image.lock" make_images "$@"
}

make_images() {
  local kind module dir
  for kind in "$@"; do
    module=$(module_of_kind "$kind")
    [ -f "$(module_jar "$module")" ] || fail "$module is not built: $(module_jar "$module") is missing. Run ./sluice build"
    dir=$(built_image_dir "$module")
    if [ ! -d "$dir" ]; then
      copy_image "$module" "$dir"
      remove_old_images "$module" "$dir"
    fi
    # In one step: another launcher may be reading it.
    printf '%s\n' "$dir" >"$SLUICE_ROOT/target/image/$module.current.new"
    mv "$SLUICE_ROOT/target/image/$module.current.new" "$SLUICE_ROOT/target/image/$module.current"
  done
}

# Makes the archives of these kinds where they are missing, which takes most of a minute, one
# launcher after the other. Not while somebody waits for a service: it starts without one too.
ensure_archives() {
  local lock=$SLUICE_ROOT/target/archives.lock missing
  [ "${SLUICE_CLASS_ARCHIVE:-on}" != off ] && [ -n "$(missing_archives "$@")" ] || return 0
  exec 8>"$lock"
  ! command -v flock >/dev/null 2>&1 || flock 8
  missing=$(missing_archives "$@")
  if [ -n "$missing" ]; then
    say "Preparing class-data archives for faster starts (once per build): $missing"
    train_archives "$missing"
  fi
  exec 8>&-
}

# Those of these kinds whose image has no archive yet, and of which none has failed.
missing_archives() {
  local kind dir missing=""
  for kind in "$@"; do
    dir=$(image_dir "$(module_of_kind "$kind")")
    [ -f "$dir/$kind.jsa" ] || [ -f "$dir/$kind.failed" ] || missing="$missing${missing:+ }$kind"
  done
  printf '%s' "$missing"
}

copy_image() {
  local source=$SLUICE_ROOT/$1/target partial=$2.partial
  rm -rf "$partial"
  mkdir -p "$partial/lib"
  cp -p "$source/$(image_main_jar "$1")" "$partial/"
  cp -p "$source"/lib/*.jar "$partial/lib/"
  mv "$partial" "$2"
}

# Keeps images that a process still runs from, and young ones, which one may be about to start from.
remove_old_images() {
  local old
  for old in "$SLUICE_ROOT/target/image/$1"-*; do
    if [ "$old" = "$2" ] || [ ! -d "$old" ] || [ -z "$(find "$old" -maxdepth 0 -mmin +10)" ]; then
      continue
    fi
    cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' '\n' | grep -F -q "$old/" || rm -rf "$old"
  done
}

# Has the services that are being trained do a little of everything: a row is stored, looked at by
# SQL and brought into the lake, so that the classes for that are in the archives too. When it does
# not work, they only are not.
exercise_services() {
  local statement attempt
  for statement in tablet tiering lake lake-sql; do is_wanted "$statement" || return 0; done
  for statement in "CREATE DATABASE training" \
    "CREATE TABLE training.log (a INT, b STRING) WITH ('table.datalake.enabled' = 'true', 'table.datalake.freshness' = '1s')" \
    "CREATE TABLE training.keyed (a INT NOT NULL, b STRING, PRIMARY KEY (a) NOT ENFORCED)" \
    "INSERT INTO training.log VALUES (1, 'x'), (2, 'y')" \
    "INSERT INTO training.keyed VALUES (1, 'z')"; do
    run_sql "$statement" || return 0
  done
  for ((attempt = 0; attempt < 40; attempt++)); do
    case $(run_sql "SELECT COUNT(*) FROM training.log\$lake") in *'[[2]]'*) break ;; esac
    sleep 0.5
  done
  run_sql "SELECT l.b, k.b, SUM(l.a) FROM training.log l JOIN training.keyed k ON l.a = k.a GROUP BY l.b, k.b ORDER BY 3"
  run_sql "DROP TABLE training.log PURGE"
}

# Prints the answer to a statement.
run_sql() {
  http_post "$(http_port lake-sql-1)" /api/v1/sql "{\"sql\": \"$1\"}"
}

# Starts the services of these kinds on a throw-away cluster, with Java recording the classes they
# load, and stops them: each writes its archive on the way out. Without an archive a service only
# starts more slowly, so a failure is noted and remembered, not fatal.
train_archives() {
  local base dir started=$SECONDS kind i kinds="coordinator $1"
  local -a trained=() dirs=()
  # What the lake does, it does together with the others.
  case " $kinds " in *" tiering "* | *" lake "* | *" lake-sql "*)
    for kind in tablet tiering lake lake-sql; do
      [ -d "$(image_dir "$(module_of_kind "$kind")" 2>/dev/null)" ] && kinds="$kinds $kind"
    done
    ;;
  esac
  # Those that have an archive run from it; each of the others makes one, whoever it was meant for.
  for kind in $kinds; do
    dir=$(image_dir "$(module_of_kind "$kind")")
    case " ${trained[*]-} " in *" $kind "*) continue ;; esac
    [ -f "$dir/$kind.jsa" ] && continue
    trained+=("$kind")
    dirs+=("$dir")
    # What a training left that did not come to its end.
    rm -f "$dir/$kind.jsa.new"
  done
  base=$(free_port_base)
  TRAINING_PID=""
  TRAINING_DIR=$(mktemp -d "${TMPDIR:-/tmp}/sluice-train-XXXXXX")
  trap 'abandon_training; exit 130' INT
  trap 'abandon_training; exit 143' TERM
  trap 'abandon_training; exit 129' HUP
  # In the background, as only then a signal is seen before it is over.
  run_training "$kinds" "$base" >"$TRAINING_DIR/log" 2>&1 8>&- </dev/null &
  TRAINING_PID=$!
  wait "$TRAINING_PID" || true
  trap - INT TERM HUP
  for ((i = 0; i < ${#trained[@]}; i++)); do keep_archive "${trained[i]}" "${dirs[i]}"; done
  rm -rf "$TRAINING_DIR"
  say "Prepared in $((SECONDS - started)) s"
}

run_training() {
  if ! SLUICE_TRAINING=$1 bash -c '
      cd / && "$0" up --no-build --home "$1" --port-base "$2" --timeout 180 --set coordinator.sluice.tiering.poll-interval=1s \
        --set tiering.sluice.tiering.report-interval=1s && "$0" down --home "$1"' \
    "$SLUICE_ROOT/sluice" "$TRAINING_DIR/home" "$2"; then
    SLUICE_TRAINING=$1 "$SLUICE_ROOT/sluice" down --home "$TRAINING_DIR/home" || true
  fi
}

# keep_archive KIND IMAGE: takes over what a service of this kind wrote. Without it the kind counts as
# one that cannot be trained, unless a build has made another image meanwhile.
keep_archive() {
  local archive=$2/$1.jsa
  if [ -f "$archive.new" ]; then
    mv "$archive.new" "$archive"
    rm -f "$2/$1.failed"
  elif [ ! -f "$archive" ] && [ "$(image_dir "$(module_of_kind "$1")")" = "$2" ]; then
    cp "$TRAINING_DIR/log" "$2/$1.failed"
    note "Notice: no class-data archive for $1; it starts more slowly (see $2/$1.failed)"
  fi
}

# Kills what was started for the training: all processes with its directory among their arguments,
# a name that nothing else has. One of them may just be starting another, so it looks until there
# is none.
abandon_training() {
  local attempt pids
  trap - INT TERM HUP
  if [ -n "$TRAINING_PID" ]; then
    kill -KILL "$TRAINING_PID" 2>/dev/null || true
    wait "$TRAINING_PID" 2>/dev/null || true
  fi
  for ((attempt = 0; attempt < 50; attempt++)); do
    pids=$(pids_naming "$TRAINING_DIR")
    [ -n "$pids" ] || break
    # shellcheck disable=SC2086 # one word a process
    kill -KILL $pids 2>/dev/null || true
    sleep 0.1
  done
  rm -rf "$TRAINING_DIR"
}

# Process ids of those with a text among their arguments, and of none that only looks for it.
pids_naming() {
  ps -A -ww -o pid= -o args= 2>/dev/null | WANTED=$1 awk 'index($0, ENVIRON["WANTED"]) { print $1 }'
}

# Prints the Java options that make a kind of service use its archive, or write it while training.
archive_options() {
  local archive=$1/$2.jsa
  if [ -n "${SLUICE_TRAINING:-}" ]; then
    if [ ! -f "$archive" ]; then
      printf '%s\n' "-XX:ArchiveClassesAtExit=$archive.new"
      return 0
    fi
  elif [ "${SLUICE_CLASS_ARCHIVE:-on}" = off ]; then
    return 0
  fi
  if [ -f "$archive" ]; then
    printf '%s\n' "-XX:SharedArchiveFile=$archive" "-Xshare:auto" "-Xlog:cds=off" "-Xlog:cds+dynamic=off"
  fi
}
