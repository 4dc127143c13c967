// The documents of the chaos workload. Each carries in its spec the name of the write that made it,
// so that no two writes have the same bytes and every change of the log can be traced to its call,
// and everything an invariant speaks of: the number of a pair, the host name held, the amount used.
import { encodeDocument } from "../../src/kernel/document.ts";
import type { Draft } from "../../src/kernel/draft.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import type { ResourceKey } from "../../src/kernel/resource.ts";
import { termsOf } from "../../src/kernel/terms.ts";

export const kinds = {
  /** Free registers that any writer creates, changes, deletes and creates again. */
  things: "things.chaos",
  /** Two resources each that always carry the same number. */
  pairs: "pairs.chaos",
  /** Holders of host names, of which each may be held once. */
  hosts: "hosts.chaos",
  /** Users of a bounded counter. */
  uses: "uses.chaos",
  /** The one resource that sets the bound. */
  bounds: "bounds.chaos",
  /** What wants work, always: each release asks for the next turn. */
  works: "works.chaos",
} as const;

export const quota = { counter: "quota/chaos", max: 20 };
export const hostScope = "host";
export const leaseMs = 150;
export const maxRestMs = 60;

export interface ChaosSpec extends JsonObject {
  /** The write that made this document. */
  readonly op: string;
  readonly number?: number;
  readonly host?: string;
  readonly amount?: number;
  readonly token?: number;
  readonly releases?: boolean;
  readonly padding?: string;
}

export interface ChaosContent {
  readonly uid: string;
  readonly spec: ChaosSpec;
  readonly labels?: { readonly [key: string]: string };
  readonly owner?: string;
  readonly secret?: string;
}

export interface ChaosDocument {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels: { readonly [key: string]: string };
    readonly owner: string;
  };
  readonly spec: ChaosSpec;
}

export function chaosKey(kind: string, name: string, namespace = "chaos"): ResourceKey {
  return { kind, namespace, name };
}

export function chaosDraft(key: ResourceKey, content: ChaosContent): Draft {
  const { uid, spec, labels = {}, owner = "nobody", secret } = content;
  const body = encodeDocument({
    apiVersion: "chaos/v1",
    kind: "Chaos",
    metadata: {
      name: key.name,
      namespace: key.namespace,
      uid,
      generation: 1,
      creationTimestamp: "2026-01-01T00:00:00Z",
      labels,
      owner,
    },
    spec,
    ...(secret === undefined ? {} : { data: { password: secret } }),
  });
  const fields = [{ path: "spec.number", value: spec.number ?? -1 }];
  return {
    body,
    terms: termsOf({ labels, owners: [owner], fields }),
    secrets: secret === undefined ? [] : ["/data/password"],
  };
}

export function parseChaos(body: Uint8Array): ChaosDocument {
  return JSON.parse(Buffer.from(body).toString("utf8")) as ChaosDocument;
}
