// Writes into the status of each policy what the check of its types found, once for each
// generation of it. Every process does this; a loser of a race finds the work done.

import type { Timers } from "../../../kernel/timers.ts";
import { systemCaller, systemOptions } from "../../bootstrap.ts";
import { numberAt } from "../../../kernel/json-read.ts";
import { withField } from "../../builtin/parts.ts";
import { keyedWorker } from "../../housekeeping/keyed-worker.ts";
import type { Intents } from "../../request.ts";
import { updateResource } from "../../write/update.ts";
import { policiesKind } from "./policy-index.ts";
import { typeWarnings } from "./type-check.ts";

export interface PolicyStatusInput {
  readonly intents: Intents;
  readonly timers: Timers;
  readonly onError: (error: unknown, policy: string) => void;
}

export function followPolicyTypes({
  intents,
  timers,
  onError,
}: PolicyStatusInput): AsyncDisposable {
  const worker = keyedWorker({
    timers,
    onError,
    work: async (name) => {
      await checkPolicy(intents, name);
      return undefined;
    },
  });
  intents.live.follow(policiesKind, (after) => {
    if (after !== undefined) worker.add(after.key.name);
  });
  return worker;
}

async function checkPolicy(intents: Intents, name: string): Promise<void> {
  const record = intents.live.get({ kind: policiesKind, namespace: "", name });
  const [plural = "", ...group] = policiesKind.split(".");
  const found = intents.kinds.find(group.join("."), "v1", plural);
  if (record === undefined || found === undefined) return;
  const { generation } = record.resource.metadata;
  const observed = numberAt(record.resource, "status", "observedGeneration") ?? 0;
  if (generation <= observed) return;
  const expressionWarnings = typeWarnings(record.resource, intents.kinds);
  const status = {
    observedGeneration: generation,
    typeChecking: expressionWarnings.length === 0 ? {} : { expressionWarnings },
  };
  await updateResource(intents, {
    caller: systemCaller,
    target: { ...found, namespace: "", name, subresource: "status" },
    options: systemOptions,
    optionsKind: "UpdateOptions",
    allowsBlind: true,
    change: (old) => ({ wanted: withField(old, "status", status) }),
  });
}
