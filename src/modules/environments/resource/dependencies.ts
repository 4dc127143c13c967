// What an EnvironmentResource depends on, and the values that it reads from it. Those that are not
// ready are followed by references, at most 50 at a time; those whose outputs are read, always.

import { namespaceTenant } from "../../../intents/auth/tenant-name.ts";
import { recordsInTurns } from "../../../intents/read/records-in-turns.ts";
import type { Blocker } from "../../../engine/outcome.ts";
import type { Context } from "../../../engine/reconciler.ts";
import { isTrueNow } from "../../../kernel/current-conditions.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { secretData } from "../../../kernel/secret-data.ts";
import type { Store } from "../../../store/port.ts";
import { environmentLimits } from "../limits.ts";
import { externalsKind, resourcesKind, runAnnotation } from "../names.ts";
import type { CompiledResource, CompiledTemplate } from "../templates/compile.ts";
import type { Outputs } from "../templates/render.ts";

export interface Dependencies {
  /** Empty when all are ready. */
  readonly blockers: readonly Blocker[];
  readonly message: string;
  readonly resources: ReadonlyMap<string, Outputs>;
  readonly externals: ReadonlyMap<string, JsonObject>;
  /** Changes when a secret that is read changes. */
  readonly versions: readonly string[];
}

export interface DependencyInput {
  readonly resource: Resource;
  readonly context: Context;
  readonly store: Pick<Store, "get" | "getMany">;
  readonly compiled: CompiledTemplate;
  readonly own: CompiledResource;
}

export async function dependenciesOf(input: DependencyInput): Promise<Dependencies> {
  const { resource, store, own } = input;
  const names = textsAt(resource.spec, "dependsOn");
  const namespace = resource.metadata.namespace ?? "";
  const keys = names.map((name) => ({ kind: resourcesKind, namespace, name }));
  const found: (Resource | undefined)[] = [];
  for await (const record of recordsInTurns(store, keys, namespaceTenant(namespace))) {
    found.push(record && decodeDocument(record.body, record.revision));
  }
  const open = names.filter((_, at) => !isReadyFor(resource, found[at]));
  if (open.length > 0) {
    const firstOpen = names.indexOf(open[0] ?? "");
    return await blocked(input, open, found[firstOpen]);
  }
  const externals = await readExternals(own.referred.externals, { ...input, namespace });
  if (externals.blockers.length > 0) return { ...externals, resources: new Map() };
  const values = await outputsOf(input, found);
  return {
    blockers: [],
    message: "",
    resources: values.resources,
    externals: externals.externals,
    versions: [...externals.versions, ...values.versions],
  };
}

/** Ready for its present spec, and, in a run of several resources, run by it. */
function isReadyFor(dependant: Resource, dependency: Resource | undefined): boolean {
  if (dependency === undefined || dependency.metadata.deletionTimestamp !== undefined) return false;
  if (!isTrueNow(dependency, "Ready")) return false;
  const run = dependant.metadata.annotations?.[runAnnotation];
  const isSameRun = run !== undefined && dependency.metadata.annotations?.[runAnnotation] === run;
  return !isSameRun || textAt(dependency.status, "run") === run;
}

async function blocked(
  { context }: DependencyInput,
  open: readonly string[],
  first: Resource | undefined,
): Promise<Dependencies> {
  const followed = open.slice(0, environmentLimits.maxAwaited);
  for (const name of followed) await context.references.get({ kind: resourcesKind, name });
  const state = textAt(first?.status, "state");
  const why = state === "Failed" ? ", which failed" : "";
  const others = open.length > 1 ? ` and ${open.length - 1} more` : "";
  return {
    blockers: followed.map((name) => ({ kind: resourcesKind, name, condition: "Ready" })),
    message: `waits for ${open[0]}${others}${why}`,
    resources: new Map(),
    externals: new Map(),
    versions: [],
  };
}

/** The outputs that the expressions read, by key. */
async function outputsOf(
  { own, context, store }: DependencyInput,
  found: readonly (Resource | undefined)[],
): Promise<Pick<Dependencies, "resources" | "versions">> {
  const read = own.referred.keys;
  const reads = own.entry.reads;
  const resources = new Map<string, Outputs>();
  const versions: string[] = [];
  for (const key of read) {
    const isRead = reads.some(([root, name]) => root === "resources" && name === key);
    if (!isRead) continue;
    const needsSecrets = reads.some(
      ([root, name, ...parts]) =>
        root === "resources" && name === key && parts.includes("secretOutputs"),
    );
    const instances = found.flatMap((each) => (textAt(each?.spec, "key") === key ? [each] : []));
    const values: JsonObject[] = [];
    for (const instance of instances) {
      const name = instance?.metadata.name ?? "";
      const fresh = await context.references.get({ kind: resourcesKind, name });
      const secret = needsSecrets ? await secretOutputsOf(fresh, store) : undefined;
      if (secret !== undefined) versions.push(`${name}@${secret.revision}`);
      const outputs = objectAt(fresh?.status, "outputs");
      values.push({ outputs, ...(secret === undefined ? {} : { secretOutputs: secret.data }) });
    }
    const isCounted = instances.some((each) => each !== undefined && hasIndex(each));
    resources.set(key, isCounted || values.length !== 1 ? values : (values[0] ?? {}));
  }
  return { resources, versions };
}

function hasIndex({ spec }: Resource): boolean {
  return objectAt(spec)["index"] !== undefined;
}

/** Only a Secret that belongs to the target: a template cannot read other Secrets this way. */
export async function secretOutputsOf(
  dependency: Resource | undefined,
  store: Pick<Store, "get">,
): Promise<{ readonly data: JsonObject; readonly revision: number } | undefined> {
  const name = textAt(dependency?.status, "secretOutputs", "name");
  const owner = textAt(dependency?.status, "target", "uid");
  if (name === "" || owner === "") return undefined;
  const key = { kind: "secrets", namespace: dependency?.metadata.namespace ?? "", name };
  const record = await store.get(key);
  if (record === undefined) return undefined;
  const secret = decodeDocument(record.body, record.revision);
  const isOwned = secret.metadata.ownerReferences?.some(({ uid }) => uid === owner) === true;
  return isOwned ? { data: { ...secretData(secret) }, revision: record.revision } : undefined;
}

export interface ExternalsInput {
  readonly context: Context;
  readonly store: Pick<Store, "get">;
  /** Of the template that has the aliases. */
  readonly compiled: CompiledTemplate;
  readonly namespace: string;
}

/** The ExternalResources that expressions read, by the aliases of the template. */
export async function readExternals(
  aliases: Iterable<string>,
  { context, store, compiled, namespace }: ExternalsInput,
): Promise<Pick<Dependencies, "blockers" | "message" | "externals" | "versions">> {
  const externals = new Map<string, JsonObject>();
  const blockers: Blocker[] = [];
  const versions: string[] = [];
  for (const alias of aliases) {
    const name = compiled.externals.get(alias) ?? alias;
    const external = await context.references.get({ kind: externalsKind, name });
    if (external === undefined || !isTrueNow(external, "Ready")) {
      blockers.push({ kind: externalsKind, name, condition: "Ready" });
      continue;
    }
    const secret = textAt(external.spec, "secretRef", "name");
    const record =
      secret === "" ? undefined : await store.get({ kind: "secrets", namespace, name: secret });
    if (record !== undefined) versions.push(`${name}@${record.revision}`);
    const data = record && secretData(decodeDocument(record.body, record.revision));
    const outputs = objectAt(external.status, "outputs");
    externals.set(alias, {
      outputs,
      ...(data === undefined ? {} : { secretOutputs: { ...data } }),
    });
  }
  const [first] = blockers;
  const message = first === undefined ? "" : `waits for the ExternalResource ${first.name}`;
  return { blockers, message, externals, versions };
}
