#!/bin/sh
# The namespace of diligence, 30 days of what has ended, its search attributes (as `diligence setup`
# registers them). Connection: TEMPORAL_ADDRESS.
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

present=$(temporal operator search-attribute list --namespace "$NAMESPACE")
for attribute in DiligenceKind=Keyword DiligenceOutcome=Keyword DiligenceBatch=Keyword \
  DiligenceService=Keyword DiligenceNeedsAttention=Bool; do
  name=${attribute%=*}
  case $present in
    *"$name "*) ;;
    *)
      temporal operator search-attribute create --namespace "$NAMESPACE" --name "$name" --type "${attribute#*=}"
      ;;
  esac
done

# New ones are refused until the server has read them again.
tries=0
until temporal workflow list --namespace "$NAMESPACE" --limit 1 \
  --query "DiligenceNeedsAttention = true" >/dev/null 2>&1; do
  tries=$((tries + 1))
  if [ "$tries" -ge 30 ]; then
    echo "the search attributes of namespace $NAMESPACE are made, but the server does not serve them" >&2
    exit 1
  fi
  sleep 2
done
echo "the search attributes are there"
