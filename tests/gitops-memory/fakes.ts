// Ports of the sync part in memory: a repository whose commits are lists of objects, and a target
// with namespaces, server-side apply by one manager, admission and deletion. The test decides what
// is refused, what hangs in deletion and what is healthy.

import type { JsonObject } from "../../src/kernel/json.ts";
import { objectAt, textAt } from "../../src/kernel/json-read.ts";
import { applyMergePatch } from "../../src/kernel/merge-patch.ts";
import { openSync } from "../../src/modules/gitops/sync/open-sync.ts";
import { digestOf } from "../../src/modules/gitops/digest.ts";
import type { GitOpsPart, PartInput } from "../../src/modules/gitops/part.ts";
import { openPolicy } from "../../src/modules/gitops/policy/open-policy.ts";
import type { RenderResult } from "../../src/modules/gitops/render/renderer.ts";
import { referenceKey } from "../../src/modules/gitops/object-reference.ts";
import type { ObjectReference } from "../../src/modules/gitops/object-reference.ts";
import type {
  SourceProblem,
  SourceState,
  SourceTree,
} from "../../src/modules/gitops/source/source-trees.ts";
import type { Health } from "../../src/modules/gitops/status/health.ts";
import { reportDeployment } from "../../src/modules/gitops/status/report-deployment.ts";
import type {
  Applied,
  ApplyOptions,
  Deleted,
  FoundKinds,
  FoundObjects,
  KindScope,
  ObjectKind,
  Target,
  TargetIdentity,
  TargetProblem,
} from "../../src/modules/gitops/targets/target.ts";

export interface FakeRepository {
  /** The commit of the branch. */
  head: string;
  /** The objects of each commit, or of COMMIT/PATH. */
  readonly commits: Map<string, readonly JsonObject[]>;
  /** Commits without the path. */
  readonly gone: Set<string>;
  problem: SourceState | undefined;
  refusal: RenderResult | undefined;
}

export interface FakeTarget extends Target {
  readonly objects: Map<string, JsonObject>;
  /** Writes since the start, as VERB KEY. */
  readonly writes: string[];
  /** By name of the object. */
  readonly refusals: Map<string, string>;
  readonly health: Map<string, Health>;
  /** Names of objects whose deletion does not end. */
  readonly stuck: Set<string>;
  unreachable: boolean;
  readonly edit: (key: string, patch: JsonObject) => void;
}

export interface Fakes {
  readonly repository: FakeRepository;
  readonly target: FakeTarget;
  readonly open: (input: PartInput) => GitOpsPart;
}

const served = new Map<string, KindScope>([
  ["/v1/ConfigMap", { plural: "configmaps", isNamespaced: true, isProtected: false }],
  ["/v1/Secret", { plural: "secrets", isNamespaced: true, isProtected: false }],
  ["/v1/Namespace", { plural: "namespaces", isNamespaced: false, isProtected: false }],
  ["batch/v1/Job", { plural: "jobs", isNamespaced: true, isProtected: false }],
  ["example.dev/v1/Site", { plural: "sites", isNamespaced: true, isProtected: true }],
]);

export function openFakes(): Fakes {
  const repository: FakeRepository = {
    head: "",
    commits: new Map(),
    gone: new Set(),
    problem: undefined,
    refusal: undefined,
  };
  const target = new MemoryTarget();
  return { repository, target, open: openWith };

  function openWith(input: PartInput): GitOpsPart {
    return { ...openSync({ ...input, ...parts(input) }), admission: [] };
  }

  function parts(input: PartInput): Omit<Parameters<typeof openSync>[0], keyof PartInput> {
    const revision = (commit: string, namespace = ""): SourceState => ({
      kind: "revision",
      name: "source",
      namespace,
      commit,
      ref: "refs/heads/main",
    });
    const rules = {
      identity: target.about,
      defaultNamespace: "jane",
      refusal: ({ namespace }: ObjectReference, isNamespaced: boolean) =>
        isNamespaced && namespace === "bob"
          ? "no GitOpsPolicy allows the namespace bob"
          : undefined,
    };
    const opened = { kind: "target", target, rules } as const;
    return {
      policies: openPolicy(input).policies,
      trees: {
        sourceOf: async () => repository.problem ?? revision(repository.head),
        resolve: async (_deployment, ref) => {
          if (ref === "main") return revision(repository.head) as never;
          if (repository.commits.has(ref)) return revision(ref) as never;
          const message = `the repository has no revision ${ref}`;
          return { kind: "problem", reason: "RefNotFound" as never, message, isFinal: true };
        },
        open: async ({ commit }, path) => {
          if (repository.gone.has(commit)) return noPath(path);
          const ofPath = `${commit}/${path}`;
          const tree = { commit: repository.commits.has(ofPath) ? ofPath : commit };
          const found = { kind: "tree", tree, [Symbol.asyncDispose]: async () => undefined };
          return found as unknown as SourceTree;
        },
        branches: async () => ({ kind: "branches", branches: [] }),
      },
      renderer: {
        render: async ({ tree: { tree } }) =>
          repository.refusal ?? renderedOf(repository.commits.get(tree.commit) ?? []),
      },
      targets: { open: async () => opened, openEarlier: async () => opened },
      health: {
        stated: () => [],
        rulesFor: () => ({
          assess: (at, live) =>
            live === undefined
              ? { status: "Missing", message: "" }
              : (target.health.get(at.name) ?? { status: "Healthy", message: "" }),
        }),
      },
      report: reportDeployment,
    };
  }
}

function noPath(path: string): SourceProblem {
  const message = `the commit has no path ${path}`;
  return { kind: "problem", reason: "PathNotFound", message, isFinal: true };
}

function renderedOf(objects: readonly JsonObject[]): RenderResult {
  return {
    kind: "rendered",
    tool: "Directory",
    objects: objects.map((object, index) => ({
      object,
      from: { file: `${index}.yaml`, line: 1 },
      digest: digestOf(object),
    })),
    digest: digestOf(objects),
  };
}

const identity: TargetIdentity = {
  kind: "Setpoint",
  environment: "",
  server: "",
  namespace: "jane",
  serviceAccountName: "gitops",
  digest: "own",
};

class MemoryTarget implements FakeTarget {
  readonly about = identity;
  readonly objects = new Map<string, JsonObject>();
  readonly writes: string[] = [];
  readonly refusals = new Map<string, string>();
  readonly health = new Map<string, Health>();
  readonly stuck = new Set<string>();
  unreachable = false;
  #created = 0;

  edit(key: string, patch: JsonObject): void {
    const found = this.objects.get(key);
    if (found === undefined) throw new Error(`there is no ${key}`);
    this.objects.set(key, applyMergePatch(found, patch) as JsonObject);
  }

  async discover(kinds: readonly ObjectKind[]): Promise<FoundKinds | TargetProblem> {
    const scopes = new Map<string, KindScope>();
    for (const { group, version, kind } of kinds) {
      const key = `${group}/${version}/${kind}`;
      const scope = served.get(key);
      if (scope !== undefined) scopes.set(key, scope);
    }
    return this.#away() ?? { kind: "kinds", scopes };
  }

  async read(references: readonly ObjectReference[]): Promise<FoundObjects | TargetProblem> {
    const wanted = new Set(references.map(referenceKey));
    return this.#away() ?? this.#found((key) => wanted.has(key));
  }

  async listOwned(
    _kinds: readonly ObjectKind[],
    uid: string,
  ): Promise<FoundObjects | TargetProblem> {
    const isOwned = (object: JsonObject): boolean =>
      Object.values(objectAt(object, "metadata", "labels")).includes(uid);
    return this.#away() ?? this.#found((_key, object) => isOwned(object));
  }

  async apply(
    at: ObjectReference,
    object: JsonObject,
    { isDryRun }: ApplyOptions,
  ): Promise<Applied | TargetProblem> {
    const problem = this.#away();
    if (problem !== undefined) return problem;
    const message = this.refusals.get(at.name);
    if (message !== undefined) {
      return { kind: "problem", reason: "Invalid", message, isFinal: true };
    }
    const key = referenceKey(at);
    const before = this.objects.get(key);
    const merged = applyMergePatch(before ?? {}, object) as JsonObject;
    if (before === undefined) this.#created += 1;
    const uid = textAt(before, "metadata", "uid") || `uid-${key}-${this.#created}`;
    const metadata = { ...objectAt(merged, "metadata"), uid };
    // A field that the server defaults.
    const applied: JsonObject = { ...merged, metadata, immutable: merged["immutable"] ?? false };
    if (!isDryRun) {
      this.objects.set(key, applied);
      this.writes.push(`apply ${at.kind}/${at.name}`);
    }
    return { kind: "applied", object: applied };
  }

  async delete(at: ObjectReference, uid: string): Promise<Deleted | TargetProblem> {
    const problem = this.#away();
    if (problem !== undefined) return problem;
    const key = referenceKey(at);
    const found = this.objects.get(key);
    if (found === undefined || textAt(found, "metadata", "uid") !== uid) {
      return { kind: "deleted", isAbsent: true };
    }
    this.writes.push(`delete ${at.kind}/${at.name}`);
    if (!this.stuck.has(at.name)) this.objects.delete(key);
    else this.edit(key, { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } });
    return { kind: "deleted", isAbsent: !this.stuck.has(at.name) };
  }

  #found(has: (key: string, object: JsonObject) => boolean): FoundObjects {
    const objects = new Map([...this.objects].filter(([key, object]) => has(key, object)));
    return { kind: "objects", objects, problems: new Map() };
  }

  #away(): TargetProblem | undefined {
    if (!this.unreachable) return undefined;
    return { kind: "problem", reason: "Unreachable", message: "does not answer", isFinal: false };
  }
}
