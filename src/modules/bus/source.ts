// `source` of events. Together with the id of an event it is unique, so two stores that publish to
// one broker need different sources: the default is the uid of a namespace that each store creates.

import type { LiveView } from "../../intents/live-view.ts";
import type { BusConfiguration } from "./configuration.ts";

export function sourceOf({ source }: BusConfiguration, live: Pick<LiveView, "get">): string {
  if (source !== undefined) return source;
  const record = live.get({ kind: "namespaces", namespace: "", name: "kube-system" });
  return record === undefined ? "/setpoint" : `urn:uuid:${record.resource.metadata.uid}`;
}
