#!/bin/sh
# Runs as root while the image is built. Hosts are registered later, when the container is created: their settings are
# in the home of the person who works in it, which may be a volume.
set -eu

version="${VERSION:-latest}"
hosts="${HOSTS:-detected}"
share="${DESTDIR:-}/usr/local/share/amplihack"

fail() {
  echo "amplihack: $1" >&2
  exit 1
}

case "$version" in
  -* | *[!A-Za-z0-9.+_-]*) fail "version must be one that npm knows, not \"$version\"" ;;
esac
case "$hosts" in
  *[!a-z,-]* | -* | *,-* | ,* | *, | *,,*) fail "hosts must be names with commas between them, not \"$hosts\"" ;;
esac
command -v npm > /dev/null || fail "npm was not found; add the feature ghcr.io/devcontainers/features/node"
node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' ||
  fail "Node 20.19 or newer is needed, this is $(node --version)"

npm install --global --no-audit --no-fund "amplihack@$version"

case "$hosts" in
  none) command=":" ;;
  detected) command="exec amplihack install --yes" ;;
  *) command="exec amplihack install --yes --host $(echo "$hosts" | sed 's/,/ --host /g')" ;;
esac
mkdir -p "$share"
printf '#!/bin/sh\n%s\n' "$command" > "$share/register-hosts"
chmod 755 "$share/register-hosts"
