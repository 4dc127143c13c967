// Makes or renews the definition of a kind that a module brings along, by the ordinary write path.
// A definition knows the module that made it and that module's version: during a rolling upgrade
// servers of both versions start in any order, and the older must not take back what the newer
// made. A definition that somebody else made is left alone: nobody's schema is replaced unasked.

import { annotations } from "../kernel/annotations.ts";
import { SetpointError } from "../kernel/errors.ts";
import type { KindInput } from "../kernel/kind.ts";
import type { Resource } from "../kernel/resource.ts";
import { systemCaller, targetFor } from "./bootstrap.ts";
import { definitionOfForm, definitionOfKind } from "./kinds/kind-definition.ts";
import { definitionsKind } from "./kinds/definition-kinds.ts";
import { schemaChange } from "./kinds/schema-change.ts";
import type { Migrate } from "./kinds/schema-change.ts";
import { checkStored } from "./kinds/stored-check.ts";
import type { ClaimRef } from "../store/port.ts";
import type { AlsoWritten, Intents, Written } from "./request.ts";
import { applyResource } from "./write/apply.ts";

export interface ModuleIdentity {
  readonly name: string;
  readonly version: number;
  /** False for records that nobody works on. */
  readonly isReconciled?: boolean;
  /** It is a second form of another kind. */
  readonly isForm?: true;
  /** Further annotations of the definition. */
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/**
 * "kept": a newer version of the module has installed its definition. "terminating": the definition
 * is being deleted. It stays as it is until its resources are removed, which needs the reconciler.
 */
export type Installed = Written["outcome"] | "kept" | "terminating";

/** How a changed schema meets the stored resources. */
export interface StoredCare {
  readonly migrate?: Migrate | undefined;
  /** The claim of the worker on whose behalf it is installed; refused once that is lost. */
  readonly claim?: ClaimRef | undefined;
}

/** Without `care`, as for built-in modules, stored resources are not compared with the schema. */
export async function installKind(
  intents: Intents,
  kind: KindInput,
  module: ModuleIdentity,
  care?: StoredCare,
): Promise<Installed> {
  const isForm = module.isForm === true;
  const bare = isForm ? definitionOfForm(kind) : definitionOfKind(kind, module.isReconciled);
  const metadata = bare["metadata"] as { readonly name: string; readonly annotations: object };
  const { target, name } = targetFor(intents, bare);
  const own = {
    ...metadata.annotations,
    ...module.annotations,
    [annotations.module]: module.name,
    [annotations.moduleVersion]: String(module.version),
  };
  const value = { ...bare, metadata: { ...metadata, annotations: own } };
  const check = (live: Resource | undefined): void => {
    if (live === undefined) return;
    checkMaker(name, live, module);
    // What is thrown here ends the apply, and nothing else can end it without an outcome.
    if (live.metadata.deletionTimestamp !== undefined) throw terminatingError;
    if (versionIn(live) > module.version) throw keptError;
  };
  let outcome: Installed;
  try {
    const written = await applyResource(intents, {
      caller: systemCaller,
      target: { ...target, name },
      body: () => ({ value, problems: [] }),
      options: {
        isDryRun: false,
        fieldManager,
        fieldValidation: "Strict",
        ...(care === undefined ? {} : { also: migrationOf(intents, kind, care) }),
        ...(care?.claim === undefined ? {} : { claim: care.claim }),
      },
      force: true,
      check,
    });
    ({ outcome } = written);
  } catch (error) {
    if (error === terminatingError) return "terminating";
    if (error !== keptError) throw error;
    outcome = "kept";
  }
  checkServed(intents, name);
  return outcome;
}

/** Runs for a definition that changes, right before the commit. */
function migrationOf(
  { store, live, kinds }: Intents,
  kind: KindInput,
  { migrate }: StoredCare,
): AlsoWritten {
  return async ({ metadata: { name } }) => {
    const before = live.get({ kind: definitionsKind, namespace: "", name });
    const change = before && schemaChange(before.resource, kind, migrate);
    if (change === undefined) return [];
    const indexTerms = kinds.byId(name)?.storedKind.indexTerms;
    return (await checkStored(store, change, indexTerms)).migrated;
  };
}

const fieldManager = "setpoint-modules";
const keptError = new Error("the definition was written by a newer version of the module");
const terminatingError = new Error("the definition is being deleted");

function versionIn({ metadata }: Resource): number {
  const version = Number(metadata.annotations?.[annotations.moduleVersion] ?? 0);
  return Number.isSafeInteger(version) ? version : 0;
}

function checkMaker(name: string, { metadata }: Resource, module: ModuleIdentity): void {
  const maker = metadata.annotations?.[annotations.module];
  if (maker === module.name) return;
  const whose = maker === undefined ? "belongs to no module" : `belongs to the module ${maker}`;
  const message = `the definition ${name} exists and ${whose}, not to the module ${module.name}`;
  throw new SetpointError("resource.not_owned", message, {
    details: { name, module: module.name },
    suggestion:
      `to transfer it: kubectl annotate --overwrite crd ${name} ` +
      `${annotations.module}=${module.name}`,
  });
}

/** A definition whose names belong to another kind is stored, but not served. */
function checkServed({ kinds }: Intents, name: string): void {
  const served = kinds.byId(name);
  if (served !== undefined) return;
  const message = `the kind ${name} is not served: its names are taken`;
  throw new SetpointError("resource.invalid", message, {
    details: { name },
    suggestion: `check its conditions: kubectl get crd ${name} -o yaml`,
  });
}
