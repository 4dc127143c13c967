// Clients of managed environments, kept between runs, so that connections are used again.

import { createHash } from "node:crypto";
import type { KubeClient } from "../../../adapters/kubernetes/port.ts";
import { keyText } from "../../../kernel/resource.ts";
import type { ResourceKey } from "../../../kernel/resource.ts";
import { gitopsLimits } from "../limits.ts";

export interface TargetClients extends Disposable {
  /** `access` is all that decides how the server is reached. Another one closes the old client. */
  clientOf(environment: ResourceKey, access: string, open: () => KubeClient): KubeClient;
}

export function openTargetClients(): TargetClients {
  const kept = new Map<string, { readonly digest: string; readonly client: KubeClient }>();
  const close = (key: string): void => {
    kept.get(key)?.client[Symbol.dispose]();
    kept.delete(key);
  };
  return {
    clientOf: (environment, access, open) => {
      const key = keyText(environment);
      const digest = createHash("sha256").update(access).digest("hex");
      const found = kept.get(key);
      if (found?.digest === digest) {
        // The last entry is the one that was used last.
        kept.delete(key);
        kept.set(key, found);
        return found.client;
      }
      close(key);
      const [oldest] = kept.keys();
      if (oldest !== undefined && kept.size >= gitopsLimits.maxTargetClients) close(oldest);
      const client = open();
      kept.set(key, { digest, client });
      return client;
    },
    [Symbol.dispose]: () => {
      for (const key of kept.keys()) close(key);
    },
  };
}
