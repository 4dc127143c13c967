/** The renderer of a process, with its cache. */
import type { GitOpsPart, PartInput } from "../part.ts";
import type { Renderer } from "./renderer.ts";

export interface RenderPart extends GitOpsPart {
  readonly renderer: Renderer;
}

export function openRender(_input: PartInput): RenderPart {
  const message = "manifests are not rendered yet";
  const renderer: Renderer = {
    render: async () => ({ kind: "refused", reason: "RendererMissing", message, errors: [] }),
  };
  return { renderer };
}
