/**
 * The documents every bench uses: 1 KiB of ordinary JSON, encoded once beforehand for both sides.
 */
import type { Cause } from "../src/kernel/cause.ts";
import type { Draft } from "../src/kernel/draft.ts";
import { keyRing, newSealKey } from "../src/store/key-ring.ts";
import type { Put } from "../src/store/port.ts";

export const kind = "widgets.bench.example";
export const keys = keyRing([newSealKey()]);

/** As large as the one of an ordinary request. */
const cause: Cause = {
  actor: "kubernetes-admin",
  surface: "kube",
  traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
  correlationId: "7f0c6a80-9d6b-4f0e-8a3c-0d6f5f1b2c3d",
};

export function documentText(name: string): string {
  const head =
    `{"apiVersion":"bench.example/v1","kind":"Widget","metadata":{"name":"${name}",` +
    `"namespace":"bench","uid":"${uidOf(name)}","generation":1},"spec":{"size":3,"text":"`;
  return `${head}${"x".repeat(Math.max(0, 1_024 - head.length - 4))}"}}`;
}

export function draftFor(name: string, labels = 0): Draft {
  const terms = Array.from({ length: labels }, (_, index) => `l:label-${index}=value-${index}`);
  return { body: Buffer.from(documentText(name)), terms, secrets: [] };
}

export function creation(name: string, labels = 0): Put {
  return {
    kind: "put",
    cause,
    key: { kind, namespace: "bench", name },
    uid: uidOf(name),
    draft: draftFor(name, labels),
    when: { kind: "absent" },
  };
}

export function uidOf(name: string): string {
  return `uid-${name}`;
}
