/**
 * The documents every bench uses: 1 KiB of ordinary JSON, encoded once beforehand for both sides.
 */
import type { Draft } from "../src/kernel/draft.ts";
import { keyRing, newSealKey } from "../src/store/key-ring.ts";
import type { Put } from "../src/store/port.ts";

export const kind = "widgets.bench.example";
export const keys = keyRing([newSealKey()]);

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
    key: { kind, namespace: "bench", name },
    uid: uidOf(name),
    draft: draftFor(name, labels),
    when: { kind: "absent" },
  };
}

export function uidOf(name: string): string {
  return `uid-${name}`;
}
