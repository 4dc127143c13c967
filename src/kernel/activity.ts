// What the code that executes now works on: a request, a run, or a hook inside of one. It follows
// the flow of the code over every await. Only the watchdog reads it, when the event loop is
// blocked, so an activity computes its facts on demand. See src/app/watchdog.

import { AsyncLocalStorage } from "node:async_hooks";

export type ActivityFacts = Readonly<Record<string, string>>;

export interface Activity {
  /** For the log. Without secrets. */
  facts(): ActivityFacts;
  /** The same in a few words. It is called when the activity begins, so it must cost little. */
  brief(): string;
  /** The activity that this one is a part of. */
  readonly within?: Activity | undefined;
}

const current = new AsyncLocalStorage<Activity>();

/** Called with each activity that begins. */
export type ActivityListener = (activity: Activity) => void;

let listener: ActivityListener | undefined;

export function during<T>(activity: Activity, inside: () => T): T {
  listener?.(activity);
  return current.run(activity, inside);
}

export function currentActivity(): Activity | undefined {
  return current.getStore();
}

/** At most one listener; undefined removes it. */
export function listenToActivities(next: ActivityListener | undefined): void {
  listener = next;
}

/** The facts of an activity and of those around it; the inner ones win. */
export function factsOf(activity: Activity | undefined): ActivityFacts {
  if (activity === undefined) return {};
  return { ...factsOf(activity.within), ...activity.facts() };
}
