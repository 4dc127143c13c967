// Whether a request is one that was accepted before and comes again, as clients send it when an
// answer did not reach them. It is the same when who sends it, its client request id, its method,
// what it is about and its body are, and nothing else was accepted for the resource since: then it
// is answered as the first was, whatever its conditions say now. Ids of clients are no keys: the
// same id with another body is another request, and without an id nothing is compared. The digest
// is kept sealed in the record of the operation, since weak secrets could be guessed from it.

import { hash } from "node:crypto";
import { canonicalJson } from "../../kernel/canonical-json.ts";
import type { Json } from "../../kernel/json.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { ArmRequest } from "./arm-request.ts";
import type { OperationRecord } from "./operations.ts";

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

/**
 * `last` is the operation that was accepted last for the resource, as long as it is remembered. A
 * change by other means is one more thing that came after it.
 */
export function isReplay(
  { metadata: { uid, generation } }: Resource,
  last: OperationRecord | undefined,
  digest: string | undefined,
): boolean {
  if (digest === undefined || last === undefined) return false;
  const { spec } = last;
  return spec.replay === digest && spec.uid === uid && spec.generation === generation;
}
