// Says in the status of one of the server's own resources how it stands, where that is news. Every
// process comes to the same word, so what another has written already is not written again.

import { setCondition } from "../../kernel/conditions.ts";
import type { Condition, ConditionInput } from "../../kernel/conditions.ts";
import type { Json } from "../../kernel/json.ts";
import { objectAt, objectsAt } from "../../kernel/json-read.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { Intents, WriteOptions } from "../request.ts";
import { changeAsSystem } from "./system-change.ts";

/** Of a kind outside of namespaces that the live view follows. */
export interface ConditionPlace {
  readonly group: string;
  readonly plural: string;
  readonly name: string;
}

export async function writeCondition(
  intents: Intents,
  place: ConditionPlace,
  condition: ConditionInput,
  options?: WriteOptions,
): Promise<void> {
  const { group, plural, name } = place;
  const record = intents.live.get({ kind: `${plural}.${group}`, namespace: "", name });
  const edit = (old: Resource): Resource => {
    const status = objectAt(old, "status");
    const conditions = objectsAt(status, "conditions") as unknown as readonly Condition[];
    const next = setCondition(conditions, condition, intents.clock.nowMs());
    if (next === conditions) return old;
    return { ...old, status: { ...status, conditions: next as unknown as Json } };
  };
  if (record === undefined || edit(record.resource) === record.resource) return;
  const own = options === undefined ? {} : { options };
  await changeAsSystem(intents, { ...place, subresource: "status", edit, ...own });
}
