/**
 * Reads what a set is generated from. Branches and files are remembered in the process: a change
 * of a deployment wakes its set, which must not call a git host each time.
 */
import type { GitBranch } from "../../../adapters/git/port.ts";
import type { Context } from "../../../engine/reconciler.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import { requirementsOf } from "../../../kernel/label-selector.ts";
import type { LabelSelector } from "../../../kernel/label-selector.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { matchesSelector } from "../../../kernel/selector.ts";
import type { Store } from "../../../store/port.ts";
import { gitopsLimits } from "../limits.ts";
import { managedEnvironmentsKind, refreshAnnotation } from "../names.ts";
import { isLocal } from "../source/repository-name.ts";
import type { SourceProblem, SourceTrees } from "../source/source-trees.ts";
import { listAll } from "../sync/records.ts";
import { branchValues, directoryValues, environmentValues, itemValues } from "./combinations.ts";
import type { Generated } from "./combinations.ts";

export interface GeneratorPorts {
  readonly trees: SourceTrees;
  readonly store: Pick<Store, "list">;
  readonly pollSeconds: number;
  readonly memory: GeneratorMemory;
}

export interface ReadGenerators {
  /** By the names of the variables. */
  readonly lists: ReadonlyMap<string, readonly Generated[]>;
  readonly problems: readonly SourceProblem[];
  /** A source is read for the first time: the set is woken when it is. */
  readonly isPending: boolean;
  /** GitSources. */
  readonly sources: readonly string[];
  /** When branches have to be read again. */
  readonly againMs: number | undefined;
}

export async function readGenerators(
  ports: GeneratorPorts,
  set: Resource,
  context: Context,
): Promise<ReadGenerators> {
  const generate = objectAt(set, "spec", "generate");
  const lists = new Map<string, readonly Generated[]>();
  const problems: SourceProblem[] = [];
  const sources: string[] = [];
  let isPending = false;
  let againMs: number | undefined;
  if (generate["branches"] !== undefined) {
    const generator = objectAt(generate, "branches");
    const read = await branchesOf(ports, set, generator, context);
    againMs = read.againMs;
    if ("branches" in read) lists.set("branch", branchValues(read.branches, generator));
    else problems.push(read.problem);
  }
  if (generate["directories"] !== undefined) {
    const generator = objectAt(generate, "directories");
    const read = await filesOf(ports, set, generator, context);
    if (read.source !== undefined) sources.push(read.source);
    if (read.kind === "files") lists.set("directory", directoryValues(read.files, generator));
    else if (read.kind === "problem") problems.push(read.problem);
    else isPending = true;
  }
  if (generate["environments"] !== undefined) {
    const found = await environmentsOf(ports, set, objectAt(generate, "environments"));
    lists.set("environment", environmentValues(found));
  }
  if (generate["items"] !== undefined) lists.set("item", itemValues(objectsAt(generate, "items")));
  return { lists, problems, isPending, sources, againMs };
}

interface KnownBranches {
  /** Of the request: another repository, or a new value of the annotation, is read at once. */
  readonly about: string;
  readonly atMs: number;
  readonly branches: readonly GitBranch[];
}

interface KnownFiles {
  readonly about: string;
  readonly files: readonly string[];
}

/** The value that was set the longest ago is forgotten first. */
class NewestValues<T> {
  readonly #values = new Map<string, T>();

  get(uid: string): T | undefined {
    return this.#values.get(uid);
  }

  set(uid: string, value: T): void {
    this.#values.delete(uid);
    this.#values.set(uid, value);
    const [oldest] = this.#values.keys();
    if (this.#values.size > gitopsLimits.maxRememberedSets && oldest !== undefined) {
      this.#values.delete(oldest);
    }
  }
}

/** Of one process, by the uid of the set. Lost with the process, which costs one call. */
export class GeneratorMemory {
  readonly branches = new NewestValues<KnownBranches>();
  readonly files = new NewestValues<KnownFiles>();
}

type Branches = { readonly againMs: number } & (
  | { readonly branches: readonly GitBranch[] }
  | { readonly problem: SourceProblem }
);

async function branchesOf(
  { trees, pollSeconds, memory }: GeneratorPorts,
  set: Resource,
  generator: JsonObject,
  context: Context,
): Promise<Branches> {
  const { uid, generation, annotations = {} } = set.metadata;
  const repoURL = textAt(generator, "repoURL");
  const seconds = isLocal(repoURL)
    ? Math.min(pollSeconds, gitopsLimits.localPollSeconds)
    : pollSeconds;
  const about = `${generation} ${annotations[refreshAnnotation] ?? ""}`;
  const nowMs = context.clock.nowMs();
  const known = memory.branches.get(uid);
  const untilMs = (known?.atMs ?? 0) + seconds * 1_000;
  if (known?.about === about && nowMs < untilMs) {
    return { branches: known.branches, againMs: untilMs - nowMs };
  }
  const credential = textAt(generator, "credential");
  const read = await trees.branches(set, { repoURL, credential }, context);
  if (read.kind === "problem") return { problem: read, againMs: gitopsLimits.setRetryMs };
  memory.branches.set(uid, { about, atMs: nowMs, branches: read.branches });
  const jitter = 1 + gitopsLimits.pollJitter * context.random.next();
  return { branches: read.branches, againMs: Math.round(seconds * 1_000 * jitter) };
}

type Files = { readonly source?: string } & (
  | { readonly kind: "files"; readonly files: readonly string[] }
  | { readonly kind: "problem"; readonly problem: SourceProblem }
  | { readonly kind: "pending" }
);

async function filesOf(
  { trees, memory }: GeneratorPorts,
  set: Resource,
  generator: JsonObject,
  context: Context,
): Promise<Files> {
  const { uid } = set.metadata;
  // The source is that of a deployment with the same repository: both share the calls.
  const credential = textAt(generator, "credential");
  const source = {
    repoURL: textAt(generator, "repoURL"),
    targetRevision: textAt(generator, "targetRevision"),
    ...(credential === "" ? {} : { credential }),
  };
  const state = await trees.sourceOf({ ...set, spec: { source } }, context);
  if (state.kind === "problem") return { kind: "problem", problem: state };
  if (state.kind === "pending") return { kind: "pending", source: state.name };
  // The last known commit is no reason to keep or to delete anything.
  if (state.problem !== undefined) {
    return { kind: "problem", problem: state.problem, source: state.name };
  }
  const about = `${state.name} ${state.commit}`;
  const known = memory.files.get(uid);
  if (known?.about === about) return { kind: "files", files: known.files, source: state.name };
  const opened = await trees.open(state, ".", context);
  if (opened.kind === "problem") return { kind: "problem", problem: opened, source: state.name };
  await using tree = opened;
  const files = tree.tree.files.map(({ path }) => path);
  memory.files.set(uid, { about, files });
  return { kind: "files", files, source: state.name };
}

async function environmentsOf(
  { store }: GeneratorPorts,
  { metadata: { namespace = "" } }: Resource,
  generator: JsonObject,
): Promise<readonly Resource[]> {
  const selector = objectAt(generator, "selector") as LabelSelector;
  const requirements = requirementsOf(selector);
  const found: Resource[] = [];
  for await (const each of listAll(store, { kind: managedEnvironmentsKind, namespace })) {
    const { deletionTimestamp, labels } = each.metadata;
    if (deletionTimestamp === undefined && matchesSelector(requirements, labels)) found.push(each);
  }
  return found;
}
