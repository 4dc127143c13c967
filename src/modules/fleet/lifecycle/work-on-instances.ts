// What a process does for the instances of each Offering: it reconciles and counts them.

import type { OpenPorts, StartPorts } from "../../../contract/ports.ts";
import type { FleetState } from "../fleet-state.ts";
import { followKind } from "../../../intents/watch/follow-kind.ts";
import { followInstanceKinds } from "../offerings/follow-instance-kinds.ts";
import { CountedInstances, countedInstance } from "./instance-counts.ts";
import type { InstanceCounts } from "./instance-counts.ts";
import { instanceReconciler } from "./reconcile.ts";

export interface InstanceWork extends AsyncDisposable {
  readonly countsOf: (offering: string) => InstanceCounts | undefined;
}

export interface InstanceWorkInput {
  readonly ports: Pick<OpenPorts, "store" | "live" | "kinds" | "timers" | "log" | "callJson">;
  readonly more: Pick<StartPorts, "feed" | "engine" | "intents">;
  readonly state: FleetState;
}

export function workOnInstances({ ports, more, state }: InstanceWorkInput): InstanceWork {
  const counts = new Map<string, CountedInstances>();
  const ending = new Set<Promise<void>>();
  const begin = (offering: string, kind: string): (() => void) => {
    const own = new CountedInstances();
    const { live, callJson } = ports;
    const lifecycle = { intents: more.intents, live, callJson, state };
    const reconciler = instanceReconciler(lifecycle, offering);
    const remove = reconciler === undefined ? () => undefined : more.engine.add(reconciler);
    counts.set(offering, own);
    const followed = followKind({
      ...ports,
      feed: more.feed,
      kind,
      read: countedInstance,
      onChange: (key, after, before) => own.change(key, after, before),
      onError: (error) => ports.log.warn({ error, kind }, "instances not counted"),
    });
    return () => {
      remove();
      if (counts.get(offering) === own) counts.delete(offering);
      const end = Promise.resolve(followed[Symbol.asyncDispose]());
      ending.add(end);
      void end.then(() => ending.delete(end));
    };
  };
  const followed = followInstanceKinds({ ...ports, offerings: state.offerings, begin });
  return {
    countsOf: (offering) => counts.get(offering),
    [Symbol.asyncDispose]: async () => {
      followed[Symbol.dispose]();
      await Promise.all(ending);
    },
  };
}
