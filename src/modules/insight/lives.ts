// How far back the past of a resource may be shown. A namespace that was deleted and created again
// may belong to other people, so a right within the namespace covers only what happened since its
// creation; a right in all namespaces covers everything. A definition that was deleted and created
// again may hide other fields, so content from before its creation is not shown to any caller.

import type { RoutePorts } from "../../contract/route.ts";
import type { ResourceAccess } from "../../intents/auth/policy.ts";
import type { UserInfo } from "../../intents/auth/user.ts";
import { definitionsKind } from "../../intents/kinds/definition-kinds.ts";
import type { ServedKind } from "../../intents/kinds/served-kind.ts";
import { kindId } from "../../kernel/kind.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { Change, HistoryOptions } from "../../store/port.ts";

export type LifePorts = Pick<RoutePorts, "live" | "authorizer"> & {
  readonly store: Pick<RoutePorts["store"], "history">;
};

export interface Lives {
  /** Whether the caller may know that the change happened. */
  isShown(user: UserInfo, served: ServedKind, change: Shown): boolean | Promise<boolean>;
  /** The changes of one key whose content the caller may see, newest first. */
  history(user: UserInfo, addressed: Owned, options: HistoryOptions): Promise<readonly Change[]>;
}

type Shown = Pick<Change, "key" | "revision">;

interface Owned {
  readonly served: ServedKind;
  readonly key: ResourceKey;
}

const namespacesKind = "namespaces";
/** Creations that are remembered. */
const maxBirths = 10_000;

export function openLives(ports: LifePorts): Lives {
  const births = new Map<string, number>();

  /** The revision that created what has this key now; undefined when nothing has it. */
  const birthOf = (key: ResourceKey): number | Promise<number> | undefined => {
    const uid = ports.live.get(key)?.resource.metadata.uid;
    if (uid === undefined) return undefined;
    return births.get(uid) ?? remember(key, uid);
  };
  const remember = async (key: ResourceKey, uid: string): Promise<number> => {
    const birth = await findBirth(ports, key, uid);
    const [oldest] = births.keys();
    if (births.size >= maxBirths && oldest !== undefined) births.delete(oldest);
    if (Number.isFinite(birth)) births.set(uid, birth);
    return birth;
  };
  const namespaceBirth = (name: string): number | Promise<number> =>
    birthOf({ kind: namespacesKind, namespace: "", name }) ?? Number.POSITIVE_INFINITY;
  const maySee = (user: UserInfo, served: ServedKind, key: ResourceKey): boolean =>
    ports.authorizer.authorize(user, readAccess(served, key)).allowed;

  return {
    isShown: (user, served, { key, revision }) => {
      if (maySee(user, served, { ...key, namespace: "" })) return true;
      if (key.namespace === "" || !maySee(user, served, key)) return false;
      const birth = namespaceBirth(key.namespace);
      return typeof birth === "number" ? revision >= birth : birth.then((at) => revision >= at);
    },
    history: async (user, { served, key }, options) => {
      const isWhole = key.namespace === "" || maySee(user, served, { ...key, namespace: "" });
      const ofNamespace = isWhole ? 0 : await namespaceBirth(key.namespace);
      const name = kindId(served.kind);
      // A kind of the server itself has no definition, and its rules do not change.
      const ofKind = (await birthOf({ kind: definitionsKind, namespace: "", name })) ?? 0;
      const changes = await ports.store.history(key, options);
      return changes.filter(({ revision }) => revision >= Math.max(ofNamespace, ofKind));
    },
  };
}

function readAccess({ kind }: ServedKind, { namespace, name }: ResourceKey): ResourceAccess {
  const { group, names } = kind;
  const what = { group, resource: names.plural, subresource: "" };
  return { kind: "resource", verb: "get", ...what, namespace, name };
}

const pageChanges = 100;

/** 0 when the log has forgotten the creation, and with it everything that was before. */
async function findBirth(
  { store }: Pick<LifePorts, "store">,
  key: ResourceKey,
  uid: string,
): Promise<number> {
  let oldest = Number.POSITIVE_INFINITY;
  for (;;) {
    const before = Number.isFinite(oldest) ? { before: oldest } : {};
    const page = await store.history(key, { limit: pageChanges, ...before });
    for (const change of page) {
      if (change.uid !== uid) return oldest;
      oldest = change.revision;
      if (change.type === "created") return oldest;
    }
    if (page.length < pageChanges) return 0;
  }
}
