// Whether a request is one that was accepted before and comes again, as clients send it when an
// answer did not reach them. It is the same when who sends it, its client request id, its method,
// what it is about and its body are, and nothing else was accepted for the resource since: then it
// is answered as the first was, whatever its conditions say now. Ids of clients are no keys: the
// same id with another body is another request, and without an id nothing is compared. Some clients
// send one id with all they ask, so an end is told again only for as long as answers get lost, and
// a change that failed is tried anew; and once a resource was made anew its old deletion is not
// looked for: to swallow a deletion that is meant is worse than to carry out a late one, which its
// sender can guard against with If-Match. The digest is kept sealed in the record of the operation,
// since weak secrets could be guessed from it.

import { hash } from "node:crypto";
import { canonicalJson } from "../../../kernel/canonical-json.ts";
import type { Json } from "../../../kernel/json.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { ArmRequest } from "../request/arm-request.ts";
import type { ArmSurface } from "../request/surface-state.ts";
import type { ArmFace } from "../../../modules/resource-provider/face.ts";
import { endIn } from "../../../modules/resource-provider/operations/operations.ts";
import type {
  OperationEnd,
  OperationRecord,
} from "../../../modules/resource-provider/operations/record.ts";

/** Undefined where the client gave no id. `about` is an id of the Resource Manager. */
export function requestDigest(
  { exchange, query, user, ids }: ArmRequest,
  about: string,
  body: Json | undefined,
): string | undefined {
  if (ids.client === undefined) return undefined;
  const version = query.get("api-version") ?? "";
  const client = ids.client.toLowerCase();
  const named = [user.name, client, exchange.method, about.toLowerCase(), version.toLowerCase()];
  return hash("sha256", canonicalJson([...named, body ?? null]), "hex");
}

/** How long after its end a request may come again: clients have given up long before. */
export const replayMs = 300_000;

export interface Repeated {
  readonly old: Resource;
  /** The operation that was accepted last for the resource, as long as it is remembered. */
  readonly last: OperationRecord | undefined;
  /** Of that operation; undefined while it goes on. */
  readonly end: OperationEnd | undefined;
  readonly digest: string | undefined;
  readonly nowMs: number;
}

/** The facts that decide whether a request repeats the one before it. */
export function repeatedIn(
  surface: ArmSurface,
  face: ArmFace,
  old: Resource,
  last: OperationRecord | undefined,
): Omit<Repeated, "digest"> {
  const end = last && endIn(surface, face, old, last);
  return { old, last, end, nowMs: surface.intents.clock.nowMs() };
}

/** A change by other means is one more thing that came after the operation. */
export function isReplay({ old, last, end, digest, nowMs }: Repeated): boolean {
  if (digest === undefined || last === undefined) return false;
  const { uid, generation } = old.metadata;
  const { spec } = last;
  const isSame = spec.replay === digest && spec.uid === uid && spec.generation === generation;
  if (!isSame || end === undefined) return isSame;
  // After a creation that failed nothing but a deletion would be accepted anyway.
  if (end.state !== "Succeeded" && spec.verb !== "create") return false;
  return nowMs - Date.parse(end.endedAt ?? spec.startedAt) < replayMs;
}
