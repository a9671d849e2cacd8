# A shell hook: the call comes on stdin as JSON; exit 2 refuses it, and stderr is the reason.
payload=$(cat)
case "$payload" in
  *'"path":"/'* | *'..'*)
    echo "files are written inside the project only" >&2
    exit 2
    ;;
esac
