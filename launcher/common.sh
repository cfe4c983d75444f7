# shellcheck shell=bash
#
# Messages, suggestions for mistyped words, options, and small probes of the machine.

say() { printf '%s\n' "$*"; }

note() { printf '%s\n' "$*" >&2; }

fail() {
  printf 'sluice: %s\n' "$*" >&2
  exit 1
}

# Wrong usage exits with 2, so that scripts can tell it from a failure.
fail_usage() {
  printf 'sluice: %s\n' "$*" >&2
  exit 2
}

# fail_unknown KIND WORD "CANDIDATE..."
fail_unknown() {
  local nearest
  nearest=$(nearest_word "$2" "$3")
  [ -z "$nearest" ] || nearest="; did you mean '$nearest'?"
  fail_usage "unknown $1 '$2'${nearest:-.} See ./sluice help"
}

# Prints the candidate with the smallest edit distance, or nothing when none is close.
nearest_word() {
  local word=$1 candidate distance best="" best_distance=99
  for candidate in $2; do
    distance=$(edit_distance "$word" "$candidate")
    if [ "$distance" -lt "$best_distance" ]; then
      best_distance=$distance
      best=$candidate
    fi
  done
  if [ "$best_distance" -le $(((${#word} + 2) / 3 + 1)) ]; then
    printf '%s' "$best"
  fi
}

edit_distance() {
  local a=$1 b=$2 i j cost up left diagonal smallest
  local -a previous current
  for ((j = 0; j <= ${#b}; j++)); do previous[j]=$j; done
  for ((i = 1; i <= ${#a}; i++)); do
    current=("$i")
    for ((j = 1; j <= ${#b}; j++)); do
      cost=1
      [ "${a:i-1:1}" = "${b:j-1:1}" ] && cost=0
      up=$((previous[j] + 1))
      left=$((current[j - 1] + 1))
      diagonal=$((previous[j - 1] + cost))
      smallest=$up
      [ "$left" -lt "$smallest" ] && smallest=$left
      [ "$diagonal" -lt "$smallest" ] && smallest=$diagonal
      current[j]=$smallest
    done
    previous=("${current[@]}")
  done
  printf '%s' "${previous[${#b}]}"
}

# need_value OPTION COUNT_OF_REMAINING_ARGUMENTS
need_value() {
  [ "$2" -ge 2 ] || fail_usage "option $1 needs a value"
}

# need_number OPTION VALUE LOWEST HIGHEST
need_number() {
  local plain
  plain=$(printf '%s' "$2" | tr -d '0-9')
  if [ -n "$plain" ] || [ -z "$2" ] || [ "${#2}" -gt 6 ] || [ "$2" -lt "$3" ] || [ "$2" -gt "$4" ]; then
    fail_usage "option $1 must be a number from $3 to $4, not '$2'"
  fi
}

sluice_version() {
  awk '/<artifactId>sluice-parent<\/artifactId>/ { seen = 1 }
       seen && /<version>/ { gsub(/.*<version>|<\/version>.*/, ""); print; exit }' "$SLUICE_ROOT/pom.xml"
}

on_debian_as_root() {
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1
}

JAVA_TEXT=""

# Sets JAVA to a Java of version 17 or later, JAVA_MAJOR to its version and JAVA_TEXT to what it
# prints about itself. Java is asked once only: starting it takes a while.
find_java() {
  local candidate version text
  [ -z "${JAVA_TEXT:-}" ] || return 0
  for candidate in "${JAVA_HOME:+$JAVA_HOME/bin/java}" "$(command -v java || true)"; do
    if [ -z "$candidate" ] || [ ! -x "$candidate" ]; then continue; fi
    text=$("$candidate" -version 2>&1) || continue
    version=$(awk -F '"' '/version "/ { print $2; exit }' <<<"$text")
    version=${version%%[.-]*}
    if [ -n "$version" ] && [ "$version" -ge 17 ] 2>/dev/null; then
      JAVA=$candidate
      JAVA_MAJOR=$version
      JAVA_TEXT=$text
      return 0
    fi
  done
  return 1
}

need_java() {
  find_java && return 0
  if on_debian_as_root; then
    apt_install openjdk-17-jdk-headless
    find_java && return 0
  fi
  fail "no Java 17 or later found (looked at JAVA_HOME and PATH). Install a JDK 17+, for example the package openjdk-17-jdk-headless"
}

apt_install() {
  say "Installing $* (apt-get)"
  local log=/tmp/sluice-apt-$$.log
  if ! { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"; } \
    >"$log" 2>&1 </dev/null; then
    tail -n 20 "$log" >&2
    fail "apt-get could not install $*; its output is in $log"
  fi
  rm -f "$log"
}

# True when something accepts connections on the port of the loopback address.
port_in_use() {
  (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

# Names who listens on a port where the system lets us see it.
port_owner() {
  command -v ss >/dev/null 2>&1 || return 0
  ss -H -ltnp "sport = :$1" 2>/dev/null |
    awk 'match($0, /users:.*pid=[0-9]+/) { s = substr($0, RSTART, RLENGTH); name = s;
           sub(/users:\(\("/, "", name); sub(/".*/, "", name); sub(/.*pid=/, "", s);
           printf " by %s (pid %s)", name, s; exit }'
}

# http_ok PORT PATH: true when the answer is 200.
http_ok() {
  (
    exec 3<>"/dev/tcp/127.0.0.1/$1" || exit 1
    printf 'GET %s HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n' "$2" >&3
    read -r -t 2 _ code _ <&3 || exit 1
    [ "$code" = 200 ]
  ) 2>/dev/null
}

# http_get PORT PATH: prints the body of the answer; false when there is none.
http_get() {
  (
    exec 3<>"/dev/tcp/127.0.0.1/$1" || exit 1
    printf 'GET %s HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n' "$2" >&3
    while IFS= read -r -t 3 line <&3 && [ "$line" != $'\r' ]; do :; done
    # The last line of a body has no line break.
    while IFS= read -r -t 3 line <&3 || [ -n "$line" ]; do
      printf '%s\n' "$line"
      line=""
    done
  ) 2>/dev/null
}

# http_post PORT PATH JSON: prints the body of the answer; false when there is none.
http_post() {
  (
    exec 3<>"/dev/tcp/127.0.0.1/$1" || exit 1
    printf 'POST %s HTTP/1.0\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: %s\r\n\r\n%s' \
      "$2" "${#3}" "$3" >&3
    while IFS= read -r -t 30 line <&3 && [ "$line" != $'\r' ]; do :; done
    cat <&3
  ) 2>/dev/null
}

# A port base whose first ports of every kind are free; below the range of outgoing connections.
free_port_base() {
  local base offset
  for _ in $(seq 100); do
    base=$((10000 + (RANDOM % 200) * 100))
    for offset in 123 124 125 126 127 133 134 135 136 137 180 181 182 183 184 223 224 225 280 281 282 380 381 423 480 523 580 -920; do
      port_in_use $((base + offset)) && continue 2
    done
    printf '%s' "$base"
    return 0
  done
  fail "found no free ports between 10000 and 30000"
}

# Runs a command while holding a lock file, so that two launchers do not build the same thing.
with_lock() {
  local file=$1
  shift
  mkdir -p "$(dirname "$file")"
  if command -v flock >/dev/null 2>&1; then
    (
      flock 9
      "$@"
    ) 9>"$file"
  else
    "$@"
  fi
}
