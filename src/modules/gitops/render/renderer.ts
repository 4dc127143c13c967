/**
 * Turns the tree of a commit into objects. The contract:
 *
 *  1. Repositories are hostile. No network, no file outside of the commit, no environment, no HOME.
 *     Time, memory, processes and output are bounded, and reading happens in a thread.
 *  2. The same tree and options have the same result. A cached result reads no file.
 *  3. YAML is read as kubectl reads it. Errors name the file and the line, and quote no value.
 *  4. One error refuses the whole result, with up to `maxManifestErrors` of them.
 */
import type { Context } from "../../../engine/reconciler.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import type { SourceTree } from "../source/source-trees.ts";

export interface Renderer {
  render(input: RenderInput, context: Pick<Context, "signal">): Promise<RenderResult>;
}

export interface RenderInput {
  readonly tree: SourceTree;
  /** Tenants take turns; results of one tenant are not used for another. */
  readonly tenant: string;
  readonly options: RenderOptions;
  readonly grants: RenderGrants;
}

export type RenderTool = "Directory" | "Kustomize" | "Helm";

/** From `spec.source` of the deployment, with defaults. */
export interface RenderOptions {
  /** Undefined: from the files of the path. */
  readonly tool: RenderTool | undefined;
  readonly directory: {
    readonly isRecursive: boolean;
    readonly include: readonly string[];
    readonly exclude: readonly string[];
  };
  readonly kustomize: JsonObject;
  readonly helm: JsonObject;
  readonly releaseName: string;
  /** Of objects that name none, as `helm template --namespace`. */
  readonly namespace: string;
}

/** From GitOpsPolicies, and from the deployment. */
export interface RenderGrants {
  readonly remoteBases: boolean;
  readonly helm: boolean;
  /**
   * The commit has a signature, which covers no remote base: they are refused, whatever
   * `remoteBases` states.
   */
  readonly isSigned: boolean;
}

export type RenderResult = Rendered | RenderRefused;

export interface Rendered {
  readonly kind: "rendered";
  readonly tool: RenderTool;
  /** In the order of the files and documents. A List is its items. */
  readonly objects: readonly RenderedObject[];
  /** Over all objects in a canonical form: equal digests are equal objects. */
  readonly digest: string;
}

export interface RenderedObject {
  /** Has apiVersion, kind and metadata.name, or metadata.generateName for a hook. */
  readonly object: JsonObject;
  readonly from: ManifestPlace;
  /** In a canonical form. */
  readonly digest: string;
}

export interface ManifestPlace {
  /** Of the repository; for kustomize and helm the best known one, such as the template. */
  readonly file: string;
  /** From 1; undefined where the tool does not state it. */
  readonly line?: number;
}

export interface RenderRefused {
  readonly kind: "refused";
  readonly reason: RenderRefusal;
  /** The first error, as one sentence. */
  readonly message: string;
  readonly errors: readonly ManifestError[];
}

export type RenderRefusal =
  | "ManifestInvalid"
  | "ToolFailed"
  | "RendererMissing"
  | "SandboxMissing"
  | "RemoteBaseRefused"
  | "PathEscapes"
  | "UnsafeTree"
  | "TooLarge"
  | "TimedOut"
  | "PolicyDenied"
  | "Busy";

export interface ManifestError extends ManifestPlace {
  readonly message: string;
}
