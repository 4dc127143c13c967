/** The renderer of a process, with its cache. */
import { createHash } from "node:crypto";
import { assert } from "../../../kernel/assert.ts";
import { canonicalJson } from "../../../kernel/canonical-json.ts";
import type { HeavyWork } from "../../../kernel/heavy-work.ts";
import type { Json } from "../../../kernel/json.ts";
import { renderSecondsMetric, rendersMetric } from "../metrics.ts";
import type { GitOpsPart, PartInput } from "../part.ts";
import { toolOf } from "./choose-files.ts";
import { refused } from "./refused.ts";
import { RenderCache } from "./render-cache.ts";
import { renderDirectory } from "./render-directory.ts";
import type { Sized } from "./render-directory.ts";
import type { Renderer, RenderInput, RenderResult, RenderTool } from "./renderer.ts";

export interface RenderPart extends GitOpsPart {
  readonly renderer: Renderer;
}

export function openRender({ ports: { clock, meter } }: PartInput): RenderPart {
  const cache = new RenderCache();
  let heavy: HeavyWork | undefined;

  async function newResult(
    tool: RenderTool,
    input: RenderInput,
    signal: AbortSignal,
  ): Promise<Sized<RenderResult>> {
    assert(heavy !== undefined, "a tree was rendered before the start");
    if (tool === "Directory") return await renderDirectory({ heavy, clock }, input, signal);
    const what = tool === "Helm" ? "Helm charts" : "kustomizations";
    return { result: refused("RendererMissing", `${what} are not supported yet`), bytes: 0 };
  }

  const renderer: Renderer = {
    render: async (input, { signal }) => {
      const tool = toolOf(input.tree.tree, input.options);
      const key = cacheKey(tool, input);
      const known = cache.get(key);
      if (known !== undefined) {
        meter.count(rendersMetric, { tool, result: "cached" });
        return known;
      }
      const startMs = clock.nowMs();
      const made = await newResult(tool, input, signal);
      const { result } = made;
      meter.count(rendersMetric, { tool, result: result.kind });
      meter.observe(renderSecondsMetric, Math.max(0, clock.nowMs() - startMs) / 1000, { tool });
      if (isLasting(result)) cache.set(key, made);
      return result;
    },
  };
  return {
    renderer,
    start: ({ intents }) => {
      ({ heavy } = intents);
    },
  };
}

/** Everything that the result depends on. Tenants share nothing, not even how fast it was. */
function cacheKey(tool: RenderTool, { tree, tenant, options }: RenderInput): string {
  const { path, treeId } = tree.tree;
  const parts = [tenant, tool, treeId, path, options.directory as unknown as Json];
  return createHash("sha256").update(canonicalJson(parts)).digest("base64url");
}

/** False for what can pass without a change of the tree. */
function isLasting(result: RenderResult): boolean {
  return result.kind === "rendered" || result.reason === "ManifestInvalid";
}
