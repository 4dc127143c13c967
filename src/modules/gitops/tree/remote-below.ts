// Objects of another server, which has no index of owners: the objects of a few kinds in the
// namespaces of the managed objects.

import type { ListIn, ObjectType } from "../../../acting/object-api.ts";
import { KubeError } from "../../../adapters/kubernetes/port.ts";
import { textAt } from "../../../kernel/json-read.ts";
import { gitopsLimits } from "../limits.ts";
import type { HealthRules } from "../status/health.ts";
import { inParallel } from "../sync/parallel.ts";
import type { Below } from "./below.ts";
import { ownersOf, treeObjectOf } from "./below.ts";
import { childKindsOf } from "./child-kinds.ts";
import type { TreeObject } from "./object-tree.ts";

export async function remoteObjectsBelow(
  listIn: ListIn,
  rules: HealthRules,
  managed: readonly TreeObject[],
): Promise<Below> {
  const owners = managed.filter(({ uid }) => uid !== "");
  const kinds = childKindsOf(owners.map(({ at }) => at));
  const known = new Set(owners.map(({ uid }) => uid));
  const all = [...new Set(owners.map(({ at }) => at.namespace))].filter((name) => name !== "");
  const namespaces = all.slice(0, gitopsLimits.maxTreeNamespaces);
  const objects: TreeObject[] = [];
  const notes: string[] = [];
  let omitted = 0;
  const read = async (kind: ObjectType, namespace: string): Promise<void> => {
    const list = await listIn(kind, namespace, gitopsLimits.maxTreeList);
    if (list?.isPartial === true) {
      const count = list.objects.length;
      notes.push(`only ${count} objects of the kind ${kind.kind} in ${namespace} were read`);
    }
    for (const object of list?.objects ?? []) {
      const uid = textAt(object, "metadata", "uid");
      if (known.has(uid) || !ownersOf(object).some((owner) => known.has(owner))) continue;
      if (objects.length >= gitopsLimits.maxTreeObjects) {
        omitted += 1;
        continue;
      }
      known.add(uid);
      objects.push(treeObjectOf(object, rules));
    }
  };
  if (kinds.length > 0 && all.length > namespaces.length) {
    notes.push(`only ${namespaces.length} of ${all.length} namespaces were read`);
  }
  try {
    for (const kind of kinds) {
      await inParallel(namespaces, gitopsLimits.treeCallsAtOnce, async (namespace) => {
        try {
          await read(kind, namespace);
        } catch (error) {
          if (!isRefusal(error)) throw error;
          notes.push(`not read: ${error.message}`);
        }
      });
    }
  } catch (error) {
    notes.push(`the environment did not answer: ${failureOf(error)}`);
  }
  return { objects, hidden: 0, omitted, notes: notes.slice(0, gitopsLimits.maxNamed) };
}

/** Of one kind in one namespace. */
function isRefusal(error: unknown): error is KubeError {
  return error instanceof KubeError && [403, 404, 405].includes(error.status);
}

/** Any other failure is of the server as a whole. */
function failureOf(error: unknown): string {
  if (error instanceof KubeError) return error.message;
  if (error instanceof DOMException && error.name === "TimeoutError") return "it took too long";
  throw error;
}
