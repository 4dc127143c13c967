// Compiled Templates of this process. A Template cannot be changed, so its uid is enough to know
// whether a compiled one is current. Bounded by the number of Templates.

import { decodeDocument } from "../../../kernel/document.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { LiveView } from "../../../intents/live-view.ts";
import type { Store } from "../../../store/port.ts";
import { templateKey } from "../names.ts";
import { slicedCompilation } from "./compile.ts";
import type { CompiledTemplate } from "./compile.ts";
import type { NamedTemplate } from "./expand.ts";
import { inTurnsOf } from "./turns.ts";

export interface TemplateCache {
  /** Undefined when there is no such Template. */
  readonly get: (namespace: string, name: string) => Promise<NamedTemplate | undefined>;
}

const maxTemplates = 1_000;

export function templateCache(
  live: Pick<LiveView, "get">,
  store: Pick<Store, "get">,
): TemplateCache {
  const compiled = new Map<string, Promise<CompiledTemplate>>();
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
      const known = compiled.get(uid) ?? compilation(namespace, resource);
      compiled.delete(uid);
      compiled.set(uid, known);
      known.catch(() => compiled.delete(uid));
      const [oldest] = compiled.keys();
      if (compiled.size > maxTemplates && oldest !== undefined) compiled.delete(oldest);
      return { name, compiled: await known };
    },
  };
}

async function compilation(namespace: string, { spec }: Resource): Promise<CompiledTemplate> {
  const { template } = await inTurnsOf(namespace, slicedCompilation(spec));
  return template;
}
