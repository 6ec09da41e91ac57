#!/bin/sh
# The namespace of diligence, 30 days of what has ended. Connection: TEMPORAL_ADDRESS.
set -eu

if temporal operator namespace describe --namespace "$NAMESPACE" >/dev/null 2>&1; then
  echo "namespace $NAMESPACE is there"
else
  temporal operator namespace create --namespace "$NAMESPACE" --retention 30d
fi

# The server refuses a namespace until its cache is read again, some ten seconds later; who waits for
# this script can count on it.
tries=0
until temporal workflow list --namespace "$NAMESPACE" --limit 1 >/dev/null 2>&1; do
  tries=$((tries + 1))
  if [ "$tries" -ge 30 ]; then
    echo "namespace $NAMESPACE is made, but the server does not serve it" >&2
    exit 1
  fi
  sleep 2
done
echo "namespace $NAMESPACE is served"
