// The kinds of a simulated world. An App has Parts as children and refers to a Config, so that
// between them every way of being woken occurs. A Config is never held by a finalizer. A Note can
// stand in for a Config and is reconciled by nobody, so that its changes are followed by no others.

import type { Draft } from "../../src/kernel/draft.ts";
import { draftOf } from "../../src/kernel/draft.ts";
import { isJsonObject } from "../../src/kernel/json.ts";
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import type { Resource, ResourceKey } from "../../src/kernel/resource.ts";

export const apiVersion = "sim.dev/v1";

export const appKind = "apps.sim.dev";
export const partKind = "parts.sim.dev";
export const configKind = "configs.sim.dev";
export const noteKind = "notes.sim.dev";

export const simKinds: Readonly<Record<string, string>> = {
  [appKind]: "App",
  [partKind]: "Part",
  [configKind]: "Config",
  [noteKind]: "Note",
};

/** What an App means by the name of its config. */
export function configKeyOf(namespace: string, name: string): ResourceKey {
  return { kind: name.includes("note") ? noteKind : configKind, namespace, name };
}

export interface AppSpec {
  readonly value: number;
  readonly parts: number;
  /** The Config that it needs. */
  readonly config: string | undefined;
  readonly steps: number;
  /** Names the operation: a new one for every change, so that its steps begin anew. */
  readonly about: string;
}

export function appSpecOf(resource: Resource): AppSpec {
  const spec = specOf(resource);
  const config = spec["config"];
  return {
    value: Number(spec["value"] ?? 0),
    parts: Number(spec["parts"] ?? 0),
    config: typeof config === "string" ? config : undefined,
    steps: Number(spec["steps"] ?? 0),
    about: textOf(spec["about"]),
  };
}

/** A text as it is, anything else as JSON. */
export function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}

export function specOf(resource: Resource): JsonObject {
  return isJsonObject(resource.spec) ? resource.spec : {};
}

export function statusOf(resource: Resource): JsonObject {
  return isJsonObject(resource.status) ? resource.status : {};
}

export function valueOf(resource: Resource): number {
  return Number(specOf(resource)["value"] ?? 0);
}

export function partName(app: ResourceKey, index: number): string {
  return `${app.name}-${index}`;
}

/** What a part of an app is to be. */
export function partSpec(app: AppSpec, index: number): JsonObject {
  return { value: app.value * 100 + index };
}

/** What is in the outside for an app that is as it should be. */
export function appState(app: AppSpec, input: number | undefined): string {
  return `app ${app.value} of ${app.parts} with ${input ?? "nothing"}`;
}

export function plainState(resource: Resource): string {
  return `${resource.kind} ${valueOf(resource)}`;
}

/** No kind of the simulation has secrets or selectable fields. */
export function simDraft(resource: Resource): Draft {
  return draftOf({ versions: [], fieldRules: [] }, resource);
}

export function conditionOf(resource: Resource, type: string): JsonObject | undefined {
  const list: Json | undefined = statusOf(resource)["conditions"];
  if (!Array.isArray(list)) return undefined;
  return list.filter(isJsonObject).find((condition) => condition["type"] === type);
}
