// Compiled Templates of this process. A Template cannot be changed, so its uid is enough to know
// whether a compiled one is current. Bounded by the size of their documents.

import { decodeDocument } from "../../../kernel/document.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { LiveView } from "../../../intents/live-view.ts";
import type { Store } from "../../../store/port.ts";
import { environmentLimits } from "../limits.ts";
import { templateKey, templatesKind } from "../names.ts";
import { slicedCompilation } from "./compile.ts";
import type { CompiledTemplate } from "./compile.ts";
import type { NamedTemplate } from "./expand.ts";
import { missingTemplate } from "./missing-template.ts";
import { inTurnsOf } from "./turns.ts";

export interface TemplateCache {
  /** Undefined when there is no such Template. */
  readonly get: (namespace: string, name: string) => Promise<NamedTemplate | undefined>;
  /** Why there is no Template of a name, with the name that was probably meant. */
  readonly missing: (namespace: string, name: string) => string;
}

interface Cached {
  readonly bytes: number;
  readonly compiled: Promise<CompiledTemplate>;
}

export function templateCache(
  live: Pick<LiveView, "get" | "all">,
  store: Pick<Store, "get">,
): TemplateCache {
  const cached = new Map<string, Cached>();
  let bytes = 0;
  const forget = (uid: string): void => {
    bytes -= cached.get(uid)?.bytes ?? 0;
    cached.delete(uid);
  };
  const keep = (uid: string, entry: Cached): void => {
    forget(uid);
    cached.set(uid, entry);
    bytes += entry.bytes;
    for (const oldest of cached.keys()) {
      if (oldest === uid || bytes <= environmentLimits.maxCachedTemplateBytes) return;
      forget(oldest);
    }
  };
  const resourceAt = async (namespace: string, name: string): Promise<Resource | undefined> => {
    const key = templateKey(namespace, name);
    const seen = live.get(key)?.resource;
    if (seen !== undefined) return seen;
    // The view of this process may be behind a process that created it.
    const record = await store.get(key);
    return record === undefined ? undefined : decodeDocument(record.body, record.revision);
  };
  return {
    get: async (namespace, name) => {
      const resource = await resourceAt(namespace, name);
      if (resource === undefined) return undefined;
      const { uid } = resource.metadata;
      const known = cached.get(uid) ?? compilation(namespace, resource);
      keep(uid, known);
      known.compiled.catch(() => forget(uid));
      return { name, compiled: await known.compiled };
    },
    missing: (namespace, name) => {
      const names = [...live.all(templatesKind)]
        .filter(({ resource }) => resource.metadata.namespace === namespace)
        .map(({ resource }) => resource.metadata.name);
      return missingTemplate(name, names);
    },
  };
}

function compilation(namespace: string, { spec }: Resource): Cached {
  const work = inTurnsOf(namespace, slicedCompilation(spec)).then(({ template }) => template);
  return { bytes: JSON.stringify(spec ?? null).length, compiled: work };
}
