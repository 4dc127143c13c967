// What the engine writes about a resource: its status, and its own finalizer, and nothing else. And
// what it says has to be true: ready for a generation means that it was made in the outside.

import { finalizer } from "../../src/engine/names.ts";
import { decodeDocument } from "../../src/kernel/document.ts";
import { equalJson } from "../../src/kernel/json.ts";
import type { Json } from "../../src/kernel/json.ts";
import { keyText } from "../../src/kernel/resource.ts";
import type { Resource } from "../../src/kernel/resource.ts";
import type { StoredRecord, Write } from "../../src/store/port.ts";
import {
  appKind,
  appSpecOf,
  conditionOf,
  plainState,
  simKinds,
  statusOf,
  textOf,
} from "./sim-kinds.ts";
import { Violation } from "./violation.ts";

/** `before` is what the write of a worker replaced. */
export function checkStatusWrite(
  write: Write,
  before: Pick<StoredRecord, "body" | "uid" | "revision"> | undefined,
): void {
  if (write.kind !== "put" || before === undefined || !(write.key.kind in simKinds)) return;
  // Writes for a child name the claim on its owner.
  if (write.claim !== undefined && keyText(write.claim.key) !== keyText(write.key)) return;
  const old = decodeDocument(before.body, before.revision);
  const next = decodeDocument(write.draft.body, before.revision);
  if (!equalJson(intentOf(old), intentOf(next))) {
    throw new Violation("intent-kept", `${keyText(write.key)} is changed by the engine`);
  }
  checkHonesty(write.key.kind, next);
}

function intentOf({ spec, metadata }: Resource): Json {
  const { finalizers = [], ...others } = metadata;
  const kept = finalizers.filter((each) => each !== finalizer);
  return { spec: spec ?? null, metadata: { ...others, finalizers: kept } };
}

function checkHonesty(kind: string, resource: Resource): void {
  const { generation, name, deletionTimestamp } = resource.metadata;
  const status = statusOf(resource);
  const [ready, synced] = [conditionOf(resource, "Ready"), conditionOf(resource, "Synced")];
  const isReady = ready?.["status"] === "True";
  const isSaid = status["observedGeneration"] === generation && synced?.["status"] === "True";
  if (!isReady || !isSaid || status["observed"] !== undefined) return;
  if (deletionTimestamp !== undefined || ready["reason"] !== "Available") return;
  const applied = textOf(status["applied"]);
  const { value, parts } = appSpecOf(resource);
  const isTrue =
    kind === appKind
      ? applied.startsWith(`app ${value} of ${parts} `)
      : applied === plainState(resource);
  if (isTrue) return;
  throw new Violation("honest-status", `${name} says "${applied}" of generation ${generation}`);
}
