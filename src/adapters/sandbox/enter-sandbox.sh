# Runs in new namespaces as their superuser, who has no rights outside of them. Builds a file system
# in memory with nothing but the folder and the program, and becomes the program there, as a user
# without rights. The text is given to `sh -c`.
#   $1 the folder of the request
#   $2 the program: a path, or a name
#   $3 the name of the file that the standard input holds; empty: none
#   $4 "network" or empty
#   $5 the size of /tmp
#   $6 and further: the arguments
# Lines on standard error before the last one, "sandbox-ready", are about the sandbox.
set -eu
folder=$1 program=$2 given=$3 network=$4 size=$5
shift 5
if ! tool=$(command -v "$program"); then
  echo "sandbox-missing" >&2
  exit 127
fi
folder=$(readlink -f "$folder")
tool=$(readlink -f "$tool")
# A folder that the file system can cover: it contains neither of them.
root=
for each in /mnt /srv /media /opt /run; do
  case "$folder" in "$each"/*) continue ;; esac
  case "$tool" in "$each"/*) continue ;; esac
  if [ -z "$root" ] && [ -d "$each" ]; then root=$each; fi
done
# The options that the mount below has may not be dropped here, so they are added.
readonly_bind() {
  mount --bind "$1" "$2"
  mount -o remount,bind,ro,nosuid,nodev "$2" 2>/dev/null ||
    mount -o remount,bind,ro,nosuid,nodev,relatime "$2" 2>/dev/null ||
    mount -o remount,bind,ro,nosuid,nodev,noatime "$2"
}
mount -t tmpfs -o "size=$size,mode=755,nosuid,nodev" none "$root"
mkdir "$root/work" "$root/given" "$root/tool" "$root/dev"
mkdir -m 1777 "$root/tmp"
[ -z "$given" ] || cat >"$root/given/$given"
readonly_bind "$folder" "$root/work"
name=${program##*/}
: >"$root/tool/$name"
readonly_bind "$tool" "$root/tool/$name"
: >"$root/dev/null"
mount --bind /dev/null "$root/dev/null"
if [ "$network" = network ]; then
  mkdir "$root/usr" "$root/etc"
  readonly_bind /usr "$root/usr"
  for each in bin sbin lib lib64; do
    if [ -L "/$each" ]; then
      ln -s "usr/$each" "$root/$each"
    elif [ -d "/$each" ]; then
      mkdir "$root/$each"
      readonly_bind "/$each" "$root/$each"
    fi
  done
  for each in resolv.conf hosts nsswitch.conf; do
    if [ -f "/etc/$each" ]; then
      : >"$root/etc/$each"
      readonly_bind "/etc/$each" "$root/etc/$each"
    fi
  done
  if [ -d /etc/ssl/certs ]; then
    mkdir -p "$root/etc/ssl/certs"
    readonly_bind /etc/ssl/certs "$root/etc/ssl/certs"
  fi
fi
export PATH="/tool:$PATH"
set -- "/tool/$name" "$@"
echo "sandbox-ready" >&2
exec setpriv --no-new-privs unshare --user --map-user=65534 --map-group=65534 \
  --root="$root" --wd=/work -- "$@"
