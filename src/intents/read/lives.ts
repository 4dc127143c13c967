// How far back the past of a resource may be shown. A namespace that was deleted and created again
// may belong to other people, so a right within the namespace covers only what happened since its
// creation; a right in all namespaces covers everything. A definition that was deleted and created
// again may hide other fields, so content from before its creation is not shown to any caller.

import { kindId } from "../../kernel/kind.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { Change, HistoryOptions, Store } from "../../store/port.ts";
import type { Authorizer, ResourceAccess } from "../auth/policy.ts";
import type { UserInfo } from "../auth/user.ts";
import { definitionsKind } from "../kinds/definition-kinds.ts";
import type { ServedKind } from "../kinds/served-kind.ts";
import type { LiveView } from "../live-view.ts";
import { namespacesKind } from "../write/namespace.ts";

export interface LifePorts {
  readonly live: Pick<LiveView, "get">;
  readonly authorizer: Authorizer;
  readonly store: Pick<Store, "history">;
}

export interface Lives {
  /**
   * The oldest revision at which the caller may see the resources of a kind in a namespace; 0 when
   * there is no limit. Without a namespace the right covers all namespaces.
   */
  since(user: UserInfo, served: ServedKind, place: Place): number | Promise<number>;
  /** Whether the caller may know that the change happened. */
  isShown(user: UserInfo, served: ServedKind, change: Shown): boolean | Promise<boolean>;
  /** The changes of one key whose content the caller may see, newest first. */
  history(user: UserInfo, addressed: Owned, options: HistoryOptions): Promise<readonly Change[]>;
}

type Shown = Pick<Change, "key" | "revision">;

/** Where a request reads; an empty name stands for all. */
export interface Place {
  readonly namespace: string;
  readonly name: string;
}

interface Owned {
  readonly served: ServedKind;
  readonly key: ResourceKey;
}

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
  /** A kind of the server itself has no definition, and its rules do not change. */
  const definitionBirth = ({ kind }: ServedKind): number | Promise<number> =>
    birthOf({ kind: definitionsKind, namespace: "", name: kindId(kind) }) ?? 0;
  const maySee = (user: UserInfo, served: ServedKind, place: Place): boolean =>
    ports.authorizer.authorize(user, readAccess(served, place)).allowed;

  const lives: Lives = {
    since: (user, served, place) => {
      const isWhole = place.namespace === "" || maySee(user, served, { ...place, namespace: "" });
      const ofNamespace = isWhole ? 0 : namespaceBirth(place.namespace);
      const ofKind = definitionBirth(served);
      if (typeof ofNamespace === "number" && typeof ofKind === "number") {
        return Math.max(ofNamespace, ofKind);
      }
      return Promise.all([ofNamespace, ofKind]).then((both) => Math.max(...both));
    },
    isShown: (user, served, { key, revision }) => {
      if (maySee(user, served, { ...key, namespace: "" })) return true;
      if (key.namespace === "" || !maySee(user, served, key)) return false;
      const birth = namespaceBirth(key.namespace);
      return typeof birth === "number" ? revision >= birth : birth.then((at) => revision >= at);
    },
    history: async (user, { served, key }, options) => {
      const oldest = await lives.since(user, served, key);
      const changes = await ports.store.history(key, options);
      return changes.filter(({ revision }) => revision >= oldest);
    },
  };
  return lives;
}

function readAccess({ kind }: ServedKind, { namespace, name }: Place): ResourceAccess {
  const { group, names } = kind;
  const what = { group, resource: names.plural, subresource: "" };
  return { kind: "resource", verb: "get", ...what, namespace, name };
}

const pageChanges = 100;

/** 0 for a first life, and when compaction removed the creation with everything before it. */
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
    }
    if (page.length === 0) return 0;
  }
}
