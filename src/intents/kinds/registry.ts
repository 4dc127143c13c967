// All kinds that are served now: the built-in ones and those of the accepted definitions. Requests
// look them up by what stands in a URL; discovery and OpenAPI documents are made from the whole
// list and are kept until `generation` moves on.

import type { ServedKind, ServedVersion } from "./served-kind.ts";

export interface Found {
  readonly served: ServedKind;
  readonly version: ServedVersion;
}

export interface KindRegistry {
  /** Grows with each change of the list. */
  readonly generation: number;
  find(group: string, version: string, plural: string): Found | undefined;
  findKind(group: string, version: string, kind: string): Found | undefined;
  byId(id: string): ServedKind | undefined;
  all(): readonly ServedKind[];
}

export interface MutableKindRegistry extends KindRegistry {
  put(served: ServedKind): void;
  remove(id: string): void;
}

export function kindRegistry(initial: readonly ServedKind[]): MutableKindRegistry {
  const kinds = new Map<string, ServedKind>();
  const byPlural = new Map<string, Found>();
  const byKind = new Map<string, Found>();
  let generation = 0;

  const index = (): void => {
    generation += 1;
    byPlural.clear();
    byKind.clear();
    for (const served of kinds.values()) {
      const { group, names } = served.kind;
      for (const version of served.versions.values()) {
        if (!version.definition.served) continue;
        const found = { served, version };
        byPlural.set(`${group}/${version.name}/${names.plural}`, found);
        byKind.set(`${group}/${version.name}/${names.kind}`, found);
      }
    }
  };
  for (const served of initial) kinds.set(keyOf(served), served);
  index();

  return {
    get generation() {
      return generation;
    },
    find: (group, version, plural) => byPlural.get(`${group}/${version}/${plural}`),
    findKind: (group, version, kind) => byKind.get(`${group}/${version}/${kind}`),
    byId: (id) => kinds.get(id) ?? [...kinds.values()].find((served) => served.id === id),
    all: () => [...kinds.values()],
    put: (served) => {
      kinds.set(keyOf(served), served);
      index();
    },
    remove: (key) => {
      if (kinds.delete(key)) index();
    },
  };
}

/** Two kinds may show the same stored resources, so the key is the kind's own name. */
function keyOf({ kind }: ServedKind): string {
  return kind.group === "" ? kind.names.plural : `${kind.names.plural}.${kind.group}`;
}
