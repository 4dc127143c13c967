// Gives runs their journal: durable steps, remembered values and references, and what goes with a
// resource that is deleted. All parts of one run share one journal, so it is read once at most.

import { journalOf } from "./journal.ts";
import type { Journal } from "./journal.ts";
import type { RunParts } from "../run/parts.ts";
import type { EnginePorts, RunScope } from "../ports.ts";
import { showProgress } from "./progress.ts";
import { referencesOf } from "./references.ts";
import { rememberIn } from "./remember.ts";
import { performWith } from "./steps.ts";

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
          progress: (progress, alongside) => showProgress(scope, progress, alongside),
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
