// An erasure changes no resource, so the log would not show who erased what. Each one is recorded
// before it begins, as a change of a key of its own: that of the target, with a mark at the kind.
// The record is deleted again, so that only the log keeps it. The audit shows it as an erasure.

import type { Cause } from "../../kernel/cause.ts";
import { timeText } from "../../kernel/clock.ts";
import { encodeDocument } from "../../kernel/document.ts";
import { SetpointError } from "../../kernel/errors.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { Precondition } from "../../store/port.ts";
import type { Intents } from "../request.ts";

/** Not a part of the name of any kind, so that no surface serves these records. */
const mark = "~erased";

/** The name of the target of an erasure that is not about a single resource. */
export const allNames = "*";

/** Under this kind the log has the erasures of a kind. */
export function erasureKindOf(kind: string): string {
  return `${kind}${mark}`;
}

/** What was erased; undefined for a key of a resource. */
export function erasureTarget({ kind, namespace, name }: ResourceKey): ResourceKey | undefined {
  if (!kind.endsWith(mark)) return undefined;
  return { kind: kind.slice(0, -mark.length), namespace, name };
}

export async function recordErasure(
  ports: Pick<Intents, "store" | "clock" | "ids">,
  target: ResourceKey,
  cause: Cause,
): Promise<void> {
  const key = { ...target, kind: erasureKindOf(target.kind) };
  for (let attempt = 0; attempt < attempts; attempt++) {
    const written = await put(ports, key, cause);
    if (written === undefined) continue;
    const when = { kind: "revision", ...written } as const;
    await ports.store.commit([{ kind: "delete", key, when, cause }]);
    return;
  }
  throw inProgress(target);
}

/** Others may record an erasure of the same resource at the same time. */
const attempts = 8;

/** Undefined when another process was faster. */
async function put(
  { store, clock, ids }: Pick<Intents, "store" | "clock" | "ids">,
  key: ResourceKey,
  cause: Cause,
): Promise<{ readonly revision: number; readonly uid: string } | undefined> {
  // One that exists is new, or of a process that ended before it deleted the record.
  const found = await store.get(key);
  const when: Precondition =
    found === undefined
      ? { kind: "absent" }
      : { kind: "revision", revision: found.revision, uid: found.uid };
  const uid = found?.uid ?? ids.uid();
  const creationTimestamp = timeText(clock.nowMs());
  const generation = (found?.revision ?? 0) + 1;
  const metadata = { name: key.name, uid, generation, creationTimestamp };
  const body = encodeDocument({ apiVersion: "internal/v1", kind: "Erasure", metadata });
  const draft = { body, terms: [], secrets: [] };
  const [answer] = await store.commit([{ kind: "put", key, uid, draft, when, cause }]);
  return answer?.kind === "committed" ? { revision: answer.revision, uid } : undefined;
}

function inProgress({ name }: ResourceKey): SetpointError {
  const message = `too many erasures of ${JSON.stringify(name)} begin at the same time`;
  return new SetpointError("resource.conflict", message, { suggestion: "repeat the request" });
}
