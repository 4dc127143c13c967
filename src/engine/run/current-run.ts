// Which run the code that executes now belongs to, also in what it left behind: a timer, a promise
// that nobody waits for. What goes wrong there reaches nobody but the process itself, which can say
// by this whose it is, and that it is no reason to end.

import { currentActivity, during } from "../../kernel/activity.ts";
import type { Activity, ActivityFacts } from "../../kernel/activity.ts";
import type { ResourceKey } from "../../kernel/resource.ts";

export interface RunAround {
  readonly key: ResourceKey;
  readonly plan?: { readonly what: string } | undefined;
  /** What may be shown of an error: it may hold secrets of the resource. */
  shown(error: unknown): unknown;
}

class RunActivity implements Activity {
  readonly run: RunAround;

  constructor(run: RunAround) {
    this.run = run;
  }

  brief(): string {
    const { key, plan } = this.run;
    return `${plan?.what ?? "reconcile"} ${key.kind} ${key.namespace}/${key.name}`;
  }

  facts(): ActivityFacts {
    const { key, plan } = this.run;
    const { kind, namespace, name } = key;
    return { activity: plan?.what ?? "reconcile", kind, namespace, name };
  }
}

export function asRunOf<T>(run: RunAround, inside: () => T): T {
  return during(new RunActivity(run), inside);
}

/** Undefined outside of any. */
export function runAround(): RunAround | undefined {
  let activity = currentActivity();
  while (activity !== undefined && !(activity instanceof RunActivity)) activity = activity.within;
  return activity?.run;
}
