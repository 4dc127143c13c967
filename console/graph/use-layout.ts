// The layout of a graph. Changes of states do not move nodes: only another structure does.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Layout, LayoutInput } from "./layout.ts";

interface Answer {
  readonly id: number;
  readonly layout: Layout;
}

let worker: Worker | undefined;
let count = 0;
const waiting = new Map<number, (layout: Layout) => void>();

export function useLayout(input: LayoutInput | undefined): Layout | undefined {
  const layout = useSignal<Layout | undefined>(undefined);
  const structure = input === undefined ? undefined : structureOf(input);
  useEffect(() => {
    if (input === undefined) return undefined;
    return request(input, (found) => {
      layout.value = found;
    });
  }, [structure]);
  return layout.value;
}

export function structureOf({ nodes, edges }: LayoutInput): string {
  const lines = edges.map(({ from, to }) => `${from}>${to}`).sort();
  return `${[...nodes].sort().join(",")}|${lines.join(",")}`;
}

function request({ nodes, edges }: LayoutInput, use: (layout: Layout) => void): () => void {
  worker ??= started();
  count += 1;
  const id = count;
  waiting.set(id, use);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- not a window
  worker.postMessage({ id, nodes, edges: edges.map(({ from, to }) => ({ from, to })) });
  return () => void waiting.delete(id);
}

function started(): Worker {
  const made = new Worker(new URL("layout.worker.ts", import.meta.url), { type: "module" });
  made.addEventListener("message", ({ data: { id, layout } }: MessageEvent<Answer>) => {
    waiting.get(id)?.(layout);
    waiting.delete(id);
  });
  return made;
}
