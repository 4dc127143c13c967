// Computes layouts apart from the page, so that a large graph does not stop it.

import { layoutOf } from "./layout.ts";
import type { LayoutInput } from "./layout.ts";

interface Task extends LayoutInput {
  readonly id: number;
}

self.addEventListener("message", ({ data }: MessageEvent<Task>) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- not a window
  self.postMessage({ id: data.id, layout: layoutOf(data) });
});
