// Objects of this server, by the index of owners. Documents that the caller may not read are not
// read for the caller either.

import type { RoutePorts, RouteRequest } from "../../../contract/route.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { keyText } from "../../../kernel/resource.ts";
import type { ResourceKey } from "../../../kernel/resource.ts";
import { gitopsLimits } from "../limits.ts";
import type { HealthRules } from "../status/health.ts";
import type { Below } from "./below.ts";
import { treeObjectOf } from "./below.ts";
import type { TreeObject } from "./object-tree.ts";

export interface OwnBelowInput {
  readonly ports: Pick<RoutePorts, "store" | "owners">;
  readonly request: Pick<RouteRequest, "pages" | "signal">;
  readonly rules: HealthRules;
  readonly mayRead: (key: ResourceKey) => boolean;
}

export async function ownObjectsBelow(
  input: OwnBelowInput,
  uids: readonly string[],
): Promise<Below> {
  const { ports, mayRead } = input;
  const seen = new Set<string>();
  const objects: TreeObject[] = [];
  let [hidden, omitted] = [0, 0];
  let owners = uids;
  // One level more than is shown, so that what is left out is counted.
  for (let depth = 0; owners.length > 0 && depth <= gitopsLimits.maxTreeDepth; depth += 1) {
    const keys: ResourceKey[] = [];
    for (const key of owners.flatMap((uid) => ports.owners.dependentsOf(uid))) {
      if (seen.has(keyText(key))) continue;
      if (seen.size >= gitopsLimits.maxTreeKeys) {
        omitted += 1;
        continue;
      }
      seen.add(keyText(key));
      keys.push(key);
    }
    const readable = keys.filter(mayRead);
    const wanted = readable.slice(0, gitopsLimits.maxTreeObjects - objects.length);
    hidden += keys.length - readable.length;
    omitted += readable.length - wanted.length;
    const found = await readObjects(input, wanted);
    objects.push(...found);
    owners = found.map(({ uid }) => uid);
  }
  return { objects, hidden, omitted, notes: [] };
}

async function readObjects(
  { ports, request, rules }: OwnBelowInput,
  keys: readonly ResourceKey[],
): Promise<readonly TreeObject[]> {
  const { pages, signal } = request;
  const objects: TreeObject[] = [];
  for (let from = 0; from < keys.length; from += gitopsLimits.treeReadAtOnce) {
    signal.throwIfAborted();
    await pages.before();
    const records = await ports.store.getMany(keys.slice(from, from + gitopsLimits.treeReadAtOnce));
    let bytes = 0;
    for (const record of records) {
      if (record === undefined) continue;
      bytes += record.body.length;
      objects.push(treeObjectOf(decodeDocument(record.body, record.revision), rules));
    }
    pages.after(bytes);
    pages.drop();
  }
  return objects;
}
