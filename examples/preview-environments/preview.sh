#!/bin/sh
# What a CI job runs: sh preview.sh deploy BRANCH IMAGE after a push, and sh preview.sh destroy
# BRANCH after the merge. Each environment has the id preview-BRANCH.
set -eu
setpoint=${SETPOINT:-setpoint}
usage() {
  echo "usage: preview.sh deploy BRANCH IMAGE | preview.sh destroy BRANCH" >&2
  exit 2
}
action=${1-}
branch=${2-}
case $action:$# in deploy:3 | destroy:2) ;; *) usage ;; esac
# Branches whose names differ only in case or punctuation share an environment. Lower case, with hyphens: feature/Cart-9 is preview-feature-cart-9.
id=preview-$(printf %s "$branch" | tr 'A-Z' 'a-z' | tr -c 'a-z0-9' '-' | cut -c1-40 | sed 's/-*$//')
case $action in
  deploy)
    if $setpoint env show "$id" > /dev/null 2>&1; then
      # Each push moves the planned destruction, and deploys again what it destroyed.
      $setpoint env deploy "$id" --set "image=$3" --ttl 8h
    else
      $setpoint env create shop.v1 --id "$id" --name "Preview of $branch" \
        --tag "branch=$branch" --set "image=$3" --ttl 8h
    fi
    ;;
  destroy)
    $setpoint env delete "$id"
    ;;
esac
