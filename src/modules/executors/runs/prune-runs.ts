// Deletes the oldest records of an owner, with their logs, before another run begins.

import type { Context } from "../../../engine/reconciler.ts";
import type { Intents } from "../../../intents/request.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { textAt } from "../../../kernel/json-read.ts";
import { requirement } from "../../../kernel/selector.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { deleteRecord } from "../../../acting/claimed-writes.ts";
import { executorLimits } from "../limits.ts";
import { labelValue } from "./run-labels.ts";
import { logsKind, ownerKindLabel, ownerNameLabel, runLabel, runsKind } from "./run-kinds.ts";

export async function pruneRuns(
  intents: Intents,
  context: Context,
  owner: Resource,
): Promise<void> {
  const { namespace = "", name } = owner.metadata;
  const labels = [
    requirement(ownerKindLabel, "in", [owner.kind]),
    requirement(ownerNameLabel, "in", [labelValue(name)]),
  ];
  const { records } = await intents.store.list({ kind: runsKind, namespace, labels });
  const runs = records.map(({ key, body, revision }) => {
    return { key, startedAt: textAt(decodeDocument(body, revision), "status", "startedAt") };
  });
  const newestFirst = runs.toSorted((one, other) => (one.startedAt < other.startedAt ? 1 : -1));
  for (const { key } of newestFirst.slice(executorLimits.keptRuns - 1)) {
    const ofRun = [requirement(runLabel, "in", [key.name])];
    const logs = await intents.store.list({ kind: logsKind, namespace, labels: ofRun });
    for (const log of logs.records) await deleteRecord(intents, context, log.key);
    await deleteRecord(intents, context, key);
  }
}
