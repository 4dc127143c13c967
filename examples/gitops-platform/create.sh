#!/bin/sh
# Creates a git repository with the files of this example: sh create.sh FOLDER. An existing one gets
# a commit with what differs.
set -eu
folder=${1:?usage: create.sh FOLDER}
files=$(cd "$(dirname "$0")" && pwd)/repository
mkdir -p "$folder"
cd "$folder"
[ -d .git ] || git init --quiet --initial-branch=main
git config user.name > /dev/null || git config user.name Demo
git config user.email > /dev/null || git config user.email demo@platform.example
cp -R "$files/." .
git add --all
git diff --cached --quiet || git commit --quiet --message "The platform"
echo "$folder is at $(git log -1 --format=%s)"
