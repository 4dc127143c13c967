/** The renderer of a process, with its cache. */
import { createHash } from "node:crypto";
import { assert } from "../../../kernel/assert.ts";
import { canonicalJson } from "../../../kernel/canonical-json.ts";
import type { HeavyWork } from "../../../kernel/heavy-work.ts";
import type { Json } from "../../../kernel/json.ts";
import { tenantSlots } from "../../../kernel/tenant-slots.ts";
import { gitopsLimits } from "../limits.ts";
import { renderSecondsMetric, rendersMetric } from "../metrics.ts";
import type { GitOpsPart, PartInput } from "../part.ts";
import { toolOf } from "./choose-files.ts";
import { RenderCache } from "./render-cache.ts";
import { renderDirectory } from "./render-directory.ts";
import { renderKustomize } from "./render-kustomize.ts";
import { renderHelm } from "./render-helm.ts";
import type { Sized } from "./reading.ts";
import type { ToolPorts } from "./run-tool.ts";
import type { RenderInput, RenderRefusal, RenderResult, RenderTool, Renderer } from "./renderer.ts";

export interface RenderPart extends GitOpsPart {
  readonly renderer: Renderer;
}

export function openRender({ ports, configuration }: PartInput): RenderPart {
  const { clock, meter } = ports;
  const cache = new RenderCache();
  const { maxRenderPrograms, maxWaitingRenders } = gitopsLimits;
  const share = Math.max(1, maxRenderPrograms - 1);
  const slots = tenantSlots({ slots: maxRenderPrograms, share, queue: maxWaitingRenders });
  const sandbox = onceOpened(ports.openSandbox);
  let heavy: HeavyWork | undefined;

  async function newResult(
    tool: RenderTool,
    input: RenderInput,
    signal: AbortSignal,
  ): Promise<Sized<RenderResult>> {
    assert(heavy !== undefined, "a tree was rendered before the start");
    if (tool === "Directory") return await renderDirectory({ heavy, clock }, input, signal);
    const { kubectl, helm } = configuration;
    const tools: ToolPorts = { heavy, clock, sandbox, slots, kubectl, helm };
    const render = tool === "Helm" ? renderHelm : renderKustomize;
    return await render(tools, input, signal);
  }

  const renderer: Renderer = {
    render: async (input, { signal }) => {
      const tool = toolOf(input.tree.tree, input.options);
      const { treeId, rootTreeId } = input.tree.tree;
      const ofPath = cacheKey(tool, input, treeId);
      const ofRoot = cacheKey(tool, input, rootTreeId);
      const known = cache.get(ofPath) ?? cache.get(ofRoot);
      if (known !== undefined) {
        meter.count(rendersMetric, { tool, result: "cached" });
        return known;
      }
      const startMs = clock.nowMs();
      const made = await newResult(tool, input, signal);
      const { result } = made;
      meter.count(rendersMetric, { tool, result: result.kind });
      meter.observe(renderSecondsMetric, Math.max(0, clock.nowMs() - startMs) / 1000, { tool });
      if (isLasting(result, input)) cache.set(made.usesRoot === true ? ofRoot : ofPath, made);
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

function onceOpened<T>(open: () => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | undefined;
  return async () => {
    opened ??= open();
    return await opened;
  };
}

/** Everything that the result depends on. Tenants share nothing, not even how fast it was. */
function cacheKey(
  tool: RenderTool,
  { tree, tenant, options, grants }: RenderInput,
  treeId: string,
): string {
  const { directory, kustomize, helm, releaseName, namespace } = options;
  const ofTool = {
    Directory: [directory as unknown as Json],
    Kustomize: [kustomize, grants.remoteBases, grants.isSigned],
    Helm: [helm, releaseName, namespace, grants.helm],
  }[tool];
  const parts = [tenant, tool, treeId, tree.tree.path, ...ofTool];
  return createHash("sha256").update(canonicalJson(parts)).digest("base64url");
}

/** They can pass without a change of the tree. */
const passing: ReadonlySet<RenderRefusal> = new Set([
  "Busy",
  "TimedOut",
  "TooLarge",
  "RendererMissing",
  "SandboxMissing",
]);

function isLasting(result: RenderResult, { grants }: RenderInput): boolean {
  if (result.kind === "rendered") return true;
  // With remote bases, it can have been the network.
  return !passing.has(result.reason) && !grants.remoteBases;
}
