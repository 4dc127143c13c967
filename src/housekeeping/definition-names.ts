// Gives names to definitions that could not have them: when the holder of a name is deleted or
// changes its names, the definitions of its group are judged again. Every write of a definition
// decides its names, so a write of the status that changes nothing else is enough. A task of the
// leader, because any definition of a group may wait for any other.

import type { LeaderTask } from "../engine/wakes/leader-tasks.ts";
import { systemOptions } from "../intents/bootstrap.ts";
import { keyedWorker } from "../intents/housekeeping/keyed-worker.ts";
import { changeAsSystem } from "../intents/housekeeping/system-change.ts";
import { conditionsOf, specOf } from "../intents/kinds/definition-parts.ts";
import { definitionsKind } from "../intents/kinds/definition-kinds.ts";
import type { Intents } from "../intents/request.ts";
import { findCondition } from "../kernel/conditions.ts";
import { textAt } from "../kernel/json-read.ts";
import type { Resource } from "../kernel/resource.ts";
import type { Timers } from "../kernel/timers.ts";
import { untilAborted } from "../kernel/until-aborted.ts";

export interface DefinitionNamesInput {
  readonly intents: Intents;
  readonly timers: Timers;
  readonly onError: (error: unknown, group: string) => void;
}

export function definitionNames({ intents, timers, onError }: DefinitionNamesInput): LeaderTask {
  return {
    name: "definition names",
    lead: async (claim, signal) => {
      const waiting = new Map<string, string>();
      await using worker = keyedWorker({
        timers,
        onError,
        // One after the other, so that each decision sees the names that the one before gave away.
        work: async (group) => {
          for (const [name, own] of waiting) {
            if (own !== group) continue;
            await changeAsSystem(intents, {
              group: "apiextensions.k8s.io",
              plural: "customresourcedefinitions",
              name,
              subresource: "status",
              edit: (definition) => definition,
              options: { ...systemOptions, claim },
            });
          }
          return undefined;
        },
      });
      const unfollow = intents.live.follow(definitionsKind, (after, before) => {
        const { key, resource } = after ?? before ?? {};
        if (key === undefined || resource === undefined) return;
        if (after !== undefined && lacksNames(after.resource)) {
          waiting.set(key.name, groupOf(resource));
        } else waiting.delete(key.name);
        // A write that decides the same again is not stored, so this comes to an end.
        const group = groupOf(resource);
        if ([...waiting.values()].includes(group)) worker.add(group);
      });
      await untilAborted(signal);
      unfollow();
    },
  };
}

function lacksNames(definition: Resource): boolean {
  return findCondition(conditionsOf(definition), "NamesAccepted")?.status === "False";
}

function groupOf(definition: Resource): string {
  return textAt(specOf(definition), "group");
}
