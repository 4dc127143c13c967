// The sync part with repositories in memory whose folders have objects of their own, and with this
// server as the target: for deployments whose objects are deployments. The test decides which
// namespace grants what; `grant` gives the account of the tenant all rights in it.

import type { JsonObject } from "../../src/kernel/json.ts";
import { openApi } from "../../src/modules/gitops/api/open-api.ts";
import { digestOf } from "../../src/modules/gitops/digest.ts";
import type { GitOpsPart, PartInput } from "../../src/modules/gitops/part.ts";
import { openPolicy } from "../../src/modules/gitops/policy/open-policy.ts";
import { openPromotion } from "../../src/modules/gitops/promotion/open-promotion.ts";
import type { Renderer } from "../../src/modules/gitops/render/renderer.ts";
import { openSets } from "../../src/modules/gitops/sets/open-sets.ts";
import type {
  SourceProblem,
  SourceTree,
  SourceTrees,
} from "../../src/modules/gitops/source/source-trees.ts";
import { openStatus } from "../../src/modules/gitops/status/open-status.ts";
import { openSync } from "../../src/modules/gitops/sync/open-sync.ts";
import { openTargets } from "../../src/modules/gitops/targets/open-targets.ts";
import { openRig, tenant } from "./rig.ts";
import type { Rig, RigOptions } from "./rig.ts";

export interface Platform extends Rig {
  /** Replaces the objects of a folder. Deployments see it when they are woken, or within 40 s. */
  readonly commit: (path: string, objects: readonly JsonObject[]) => void;
  /** By name; the commits are derived from the names. */
  readonly branches: Set<string>;
  /** Why branches cannot be read. */
  readonly fault: (problem: SourceProblem | undefined) => void;
  readonly grant: () => Promise<void>;
}

interface Repository {
  readonly folders: Map<string, readonly JsonObject[]>;
  readonly branches: Set<string>;
  problem: SourceProblem | undefined;
}

export async function openPlatform(
  more: RigOptions = {},
  configuration: JsonObject = {},
): Promise<Platform> {
  const repository: Repository = { folders: new Map(), branches: new Set(), problem: undefined };
  const { folders, branches } = repository;
  const rig = await openRig(
    configuration,
    { open: (input) => openParts(input, repository) },
    "warn",
    more,
  );
  return {
    ...rig,
    commit: (path, objects) => void folders.set(path, objects),
    branches,
    fault: (problem) => void (repository.problem = problem),
    grant: async () => await grantAll(rig),
  };
}

function openParts(input: PartInput, repository: Repository): GitOpsPart {
  const { policies } = openPolicy(input);
  const targets = openTargets({ ...input, policies });
  const status = openStatus(input);
  const trees = treesOf(repository);
  const sets = openSets({ ...input, trees });
  const shared = {
    ...input,
    policies,
    trees,
    renderer: rendererOf(repository),
    targets: targets.targets,
    health: status.health,
    report: status.report,
  };
  const sync = openSync(shared);
  const promotion = openPromotion();
  const parts = [targets, sync, sets, promotion];
  return {
    ...openApi(shared),
    admission: [sets, promotion].flatMap((part) => part.admission ?? []),
    start: async (more, stops) => {
      for (const part of parts) await part.start?.(more, stops);
    },
    close: async () => await targets.close?.(),
  };
}

function treesOf(repository: Repository): SourceTrees {
  const { folders, branches } = repository;
  const head = (namespace = "") =>
    ({
      kind: "revision",
      name: "source",
      namespace,
      commit: digestOf([...folders]).slice(0, 40),
      ref: "refs/heads/main",
    }) as const;
  return {
    sourceOf: async ({ metadata }) => head(metadata.namespace),
    resolve: async ({ metadata }) => head(metadata.namespace),
    branches: async () => {
      if (repository.problem !== undefined) return repository.problem;
      const names = [...branches].toSorted();
      const found = names.map((name) => ({ name, commit: digestOf(name).slice(0, 40) }));
      return { kind: "branches", branches: found };
    },
    open: async (_at, path) => {
      const files = [...folders.keys()].map((folder) => ({ path: `${folder}/all.yaml` }));
      const tree = { path, files };
      const end = async (): Promise<void> => undefined;
      return { kind: "tree", tree, [Symbol.asyncDispose]: end } as unknown as SourceTree;
    },
  };
}

function rendererOf({ folders }: Repository): Renderer {
  return {
    render: async ({ tree }) => {
      const objects = folders.get(tree.tree.path) ?? [];
      return {
        kind: "rendered",
        tool: "Directory",
        objects: objects.map((object, index) => ({
          object,
          from: { file: `${tree.tree.path}/${index}.yaml`, line: 1 },
          digest: digestOf(object),
        })),
        digest: digestOf(objects),
      };
    },
  };
}

async function grantAll({ memory }: Rig): Promise<void> {
  const group = "rbac.authorization.k8s.io";
  const metadata = { name: "gitops", namespace: tenant };
  const rules = [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }];
  await memory.create({ apiVersion: `${group}/v1`, kind: "Role", metadata, rules });
  await memory.create({
    apiVersion: `${group}/v1`,
    kind: "RoleBinding",
    metadata,
    roleRef: { apiGroup: group, kind: "Role", name: "gitops" },
    subjects: [{ kind: "ServiceAccount", ...metadata }],
  });
}
