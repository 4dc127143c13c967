#!/bin/sh
# Terminates process groups when the process that started them dies, however it dies: the kernel then
# closes the other end of the standard input. Until then each line is `add GROUP` or `drop GROUP`.
#   $1 tenths of a second between SIGTERM and SIGKILL
trap '' HUP INT TERM

groups=' '
while read -r verb group; do
  case $verb in
    add) groups="$groups$group " ;;
    drop)
      case $groups in
        *" $group "*) groups="${groups%% $group *} ${groups#* $group }" ;;
      esac
      ;;
  esac
done

signal_all() {
  for group in $groups; do
    kill -s "$1" -- "-$group" 2>/dev/null
  done
}

is_any_alive() {
  for group in $groups; do
    kill -s 0 -- "-$group" 2>/dev/null && return 0
  done
  return 1
}

signal_all TERM
signal_all CONT
tenths=$1
while [ "$tenths" -gt 0 ] && is_any_alive; do
  sleep 0.1
  tenths=$((tenths - 1))
done
signal_all KILL
