# shellcheck shell=bash
#
# Images: a copy of a service's jars that its processes run from, so that a later build cannot pull
# the jars from under a running cluster, with a class-data archive that halves the work of starting.
#
# target/image/SERVICE-KEY/      SERVICE.jar, lib/, classes.jsa (or archive.failed)
# target/image/SERVICE.current   path of the image to start from
# KEY is a digest of the jars' names, sizes and times and of the Java version.

readonly IMAGE_MODULES="coordinator-service tablet-service"

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

ensure_images() {
  with_lock "$SLUICE_ROOT/target/image.lock" make_images
}

make_images() {
  local module dir missing=""
  for module in $IMAGE_MODULES; do
    [ -f "$(module_jar "$module")" ] || fail "$module is not built: $(module_jar "$module") is missing. Run ./sluice build"
    dir=$(built_image_dir "$module")
    if [ ! -d "$dir" ]; then
      copy_image "$module" "$dir"
      remove_old_images "$module" "$dir"
    fi
    printf '%s\n' "$dir" >"$SLUICE_ROOT/target/image/$module.current"
    [ -f "$dir/classes.jsa" ] || [ -f "$dir/archive.failed" ] || missing="$missing $module"
  done
  if [ -n "$missing" ] && [ "${SLUICE_CLASS_ARCHIVE:-on}" != off ]; then
    say "Preparing class-data archives for faster starts (once per build)"
    train_archives
  fi
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

# Starts both services on a throw-away cluster, with Java recording the classes they load, and
# stops them: each writes its archive on the way out. Without an archive a service only starts
# more slowly, so a failure is noted and remembered, not fatal.
train_archives() {
  local work base started=$SECONDS module dir
  work=$(mktemp -d "${TMPDIR:-/tmp}/sluice-train-XXXXXX")
  base=$(free_port_base)
  if ! SLUICE_TRAINING=1 bash -c '
      cd / && "$0" up --no-build --home "$1" --port-base "$2" --timeout 120 && "$0" down --home "$1"' \
    "$SLUICE_ROOT/sluice" "$work/home" "$base" >"$work/log" 2>&1 9>&- </dev/null; then
    SLUICE_TRAINING=1 "$SLUICE_ROOT/sluice" down --home "$work/home" >>"$work/log" 2>&1 || true
  fi
  for module in $IMAGE_MODULES; do
    dir=$(image_dir "$module")
    if [ -f "$dir/classes.jsa.new" ]; then
      mv "$dir/classes.jsa.new" "$dir/classes.jsa"
      rm -f "$dir/archive.failed"
    elif [ ! -f "$dir/classes.jsa" ]; then
      cp "$work/log" "$dir/archive.failed"
      note "Notice: no class-data archive for $module; it starts more slowly (see $dir/archive.failed)"
    fi
  done
  rm -rf "$work"
  say "Prepared in $((SECONDS - started)) s"
}

# Prints the Java options that make a service use its archive, or write it while training.
archive_options() {
  if [ -n "${SLUICE_TRAINING:-}" ]; then
    [ -f "$1/classes.jsa" ] || printf '%s\n' "-XX:ArchiveClassesAtExit=$1/classes.jsa.new"
  elif [ -f "$1/classes.jsa" ] && [ "${SLUICE_CLASS_ARCHIVE:-on}" != off ]; then
    printf '%s\n' "-XX:SharedArchiveFile=$1/classes.jsa" "-Xshare:auto" "-Xlog:cds=off" "-Xlog:cds+dynamic=off"
  fi
}
