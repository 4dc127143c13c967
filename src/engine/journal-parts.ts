// Gives the engine its journal: durable steps, remembered values and references for a run, what
// goes with a resource that is deleted, and beside the runs those who wake and adopt. All parts of
// one run share one journal, so it is read once at most.

import { adopt } from "./adoption.ts";
import { journalOf } from "./journal.ts";
import type { Journal } from "./journal.ts";
import type { Companion, RunParts } from "./parts.ts";
import type { EnginePorts, RunScope } from "./ports.ts";
import { showProgress } from "./progress.ts";
import type { Reconciler } from "./reconciler.ts";
import { referencesOf } from "./references.ts";
import { rememberIn } from "./remember.ts";
import { performWith } from "./steps.ts";
import { startWakeUps } from "./wake-ups.ts";

type JournalParts = Pick<RunParts, "steps" | "references"> & Required<Pick<RunParts, "farewell">>;

/** `event` is told of every step that was done or taken back. */
export function journalParts(
  { store, resources }: Pick<EnginePorts, "store" | "resources">,
  event: RunParts["event"],
): JournalParts {
  const journals = new WeakMap<RunScope, Journal>();
  const journalFor = (scope: RunScope): Journal => {
    const present = journals.get(scope);
    if (present !== undefined) return present;
    const journal = journalOf(scope, store);
    journals.set(scope, journal);
    return journal;
  };
  return {
    steps: (scope) => {
      const journal = journalFor(scope);
      return {
        remember: rememberIn(journal),
        perform: performWith({
          scope,
          journal,
          progress: (progress) => showProgress(scope, progress),
          event: (type, reason, message) => event(scope, type, reason, message),
        }),
      };
    },
    references: (scope) => referencesOf({ scope, journal: journalFor(scope), store, resources }),
    farewell: async (scope) => {
      const removal = await journalFor(scope).removal();
      return removal === undefined ? [] : [removal];
    },
  };
}

/** Wakes by the log, and adopts the kinds whose reconcilers are added. */
export function wakingCompanion(ports: EnginePorts, owner: string): Companion {
  const wakeUps = startWakeUps(ports, owner);
  const adoptions = new Map<Reconciler, AbortController>();
  const underWay = new Set<Promise<void>>();
  return {
    added: (reconciler) => {
      const { kind, version = 0 } = reconciler;
      const controller = new AbortController();
      adoptions.set(reconciler, controller);
      const adopting = adopt(ports, { kind, version }, controller.signal)
        // It rejects only when aborted.
        .catch(() => undefined)
        .finally(() => underWay.delete(adopting));
      underWay.add(adopting);
    },
    removed: (reconciler) => {
      adoptions.get(reconciler)?.abort();
      adoptions.delete(reconciler);
    },
    stop: async () => {
      for (const controller of adoptions.values()) controller.abort();
      await Promise.all([wakeUps[Symbol.asyncDispose](), ...underWay]);
    },
  };
}
