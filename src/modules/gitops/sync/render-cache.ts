/** The newest objects of each deployment, so that a look at live objects reads no repository. */
import type { Context } from "../../../engine/reconciler.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { digestOf } from "../digest.ts";
import { gitopsLimits } from "../limits.ts";
import type { Rendered, RenderOptions, RenderRefused } from "../render/renderer.ts";
import type { SourceProblem, SourceRevision } from "../source/source-trees.ts";
import { pathOf } from "./spec.ts";
import type { SyncInput } from "./sync-input.ts";

export class RenderCache {
  readonly #newest = new Map<string, { readonly about: string; readonly result: Rendered }>();

  async render(
    { trees, renderer, policies }: Pick<SyncInput, "trees" | "renderer" | "policies">,
    deployment: Resource,
    revision: SourceRevision,
    options: RenderOptions,
    context: Context,
  ): Promise<Rendered | RenderRefused | SourceProblem> {
    const { uid, namespace = "" } = deployment.metadata;
    const { remoteBases, helm } = policies.policyOf(namespace);
    const path = pathOf(deployment);
    const { commit, name, signers } = revision;
    const grants = { remoteBases, helm, isSigned: signers !== undefined };
    const about = digestOf({
      commit,
      name,
      signers: signers?.digest ?? "",
      path,
      options: { ...options, tool: options.tool ?? "" },
      grants,
    });
    const known = this.#newest.get(uid);
    if (known?.about === about) return known.result;
    const tree = await trees.open(revision, path, context);
    if (tree.kind === "problem") return tree;
    await using opened = tree;
    const input = { tree: opened, tenant: namespace, options, grants };
    const result = await renderer.render(input, context);
    if (result.kind === "refused") return result;
    this.#newest.delete(uid);
    this.#newest.set(uid, { about, result });
    const [oldest] = this.#newest.keys();
    if (this.#newest.size > gitopsLimits.maxRenderResults && oldest !== undefined) {
      this.#newest.delete(oldest);
    }
    return result;
  }
}
