# Becomes the program once its process group is being watched. The text is given to `sh -c`, since
# the user that the program runs as may not be able to read this file.
#   $1 the most memory for data of a process in KiB, or "unlimited"
#   $2 names that this shell exports by itself and that the program must not see
#   $3 and further: the program and its arguments
# The caller writes a line to descriptor 3. If the caller dies first, the program never starts.
IFS= read -r start <&3 || exit 125
exec 3<&-
ulimit -d "$1" 2>/dev/null || :
[ -z "$2" ] || unset $2
shift 2
exec "$@"
