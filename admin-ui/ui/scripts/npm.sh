#!/usr/bin/env bash
# Runs an npm script of the console: `scripts/npm.sh build`, `scripts/npm.sh test`. The packages are fetched when
# package-lock.json has changed since they were fetched last, and at no other time, so that builds are quick and need no network.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

oldest=20
if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
  echo "The console is built with Node $oldest or later and npm, and there is no node or npm on the path." >&2
  echo "Install them (Debian: apt-get install nodejs npm; others: https://nodejs.org), or do without the console: ./sluice up --no-console" >&2
  exit 1
fi
found=$(node --version)
major=${found#v}
major=${major%%.*}
if ((major < oldest)); then
  echo "The console is built with Node $oldest or later; $(command -v node) is $found." >&2
  exit 1
fi

stamp=node_modules/.fetched
if ! cmp -s package-lock.json "$stamp"; then
  echo "Fetching the packages of the console"
  npm ci --no-audit --no-fund --loglevel=error
  cp package-lock.json "$stamp"
fi
exec npm run --silent "$@"
