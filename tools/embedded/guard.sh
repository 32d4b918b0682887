# Ends process $1 with signal $2 when the parent, which holds the other end of standard input, dies in any way. A line
# on standard input means that the process has ended in order and that there is nothing to do.
trap '' HUP INT TERM
read -r _ && exit 0
kill -s "$2" "$1" 2>/dev/null || exit 0
tries=0
while [ "$tries" -lt 12 ]; do
  sleep 1
  kill -s 0 "$1" 2>/dev/null || exit 0
  tries=$((tries + 1))
done
kill -s KILL "$1" 2>/dev/null
