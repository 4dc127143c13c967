// What a deployment would change: for each resource the fields of its document before and after.
// Outputs of resources that change are unknown, so whatever reads them is deferred. Pure.

import { diff } from "../../../kernel/diff.ts";
import type { Change as FieldChange } from "../../../kernel/diff.ts";
import { equalJson } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import type { Kind } from "../../../kernel/kind.ts";
import { formatPointer, getAt, parsePointer } from "../../../kernel/pointer.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Sliced } from "../../../kernel/sliced.ts";
import { TemplateProblem } from "../../../kernel/template/template.ts";
import { isTrueNow } from "../../../kernel/current-conditions.ts";
import { environmentLimits } from "../limits.ts";
import type { CompiledResource } from "../templates/compile.ts";
import type { Instance } from "../templates/expand.ts";
import { renderPartly } from "../templates/render.ts";
import type { Outputs, PartlyRendered } from "../templates/render.ts";
import { layersOf } from "../templates/graph.ts";
import { sealedPointers, shownDocument } from "../templates/secret-flow.ts";

export interface PlanFacts {
  readonly instances: readonly Instance[];
  readonly members: ReadonlyMap<string, Resource>;
  /** The entry of a resource in a template. */
  readonly entryOf: (template: string, key: string) => CompiledResource | undefined;
  readonly kindOf: (apiVersion: string, kind: string) => Kind | undefined;
  /** Kinds that act when they are applied, and cannot say what they would do. */
  readonly willRun: (apiVersion: string, kind: string) => boolean;
}

export interface PlannedChange {
  readonly resource: string;
  readonly key: string;
  readonly kind: string;
  readonly apiVersion: string;
  readonly action: "add" | "change" | "remove" | "none";
  readonly fields: readonly JsonObject[];
  readonly deferred: number;
  readonly willRun: boolean;
  /** The rendered document, for kinds that plan themselves; undefined when it is not known. */
  readonly document: JsonObject | undefined;
}

/** Pauses between resources. */
export function* planChanges(facts: PlanFacts): Sliced<readonly PlannedChange[]> {
  const { instances, members } = facts;
  const byName = new Map(instances.map((each) => [each.name, each]));
  const graph = new Map(
    instances.map((each) => {
      return [
        each.name,
        textsAt(each.spec, "dependsOn").filter((name) => byName.has(name)),
      ] as const;
    }),
  );
  const unsettled = new Set<string>();
  const changes: PlannedChange[] = [];
  const outputs = readyOutputs(members.values());
  for (const name of layersOf(graph).flat()) {
    const instance = byName.get(name);
    if (instance === undefined) continue;
    yield;
    const change = changeOf(instance, { facts, outputs }, unsettled);
    const member = members.get(name);
    const isSettled = member !== undefined && isTrueNow(member, "Ready");
    if (change.action !== "none" || !isSettled) unsettled.add(change.key);
    changes.push(change);
  }
  const removed = [...members.values()].filter(({ metadata }) => !byName.has(metadata.name));
  return [...changes, ...removed.map(removalOf)];
}

/** Facts with the outputs of all keys. */
interface Planning {
  readonly facts: PlanFacts;
  readonly outputs: ReadonlyMap<string, Outputs>;
}

function changeOf(
  instance: Instance,
  planning: Planning,
  unsettled: ReadonlySet<string>,
): PlannedChange {
  const { spec, name } = instance;
  const { facts } = planning;
  const key = textAt(spec, "key");
  const own = facts.entryOf(textAt(spec, "template"), key);
  const member = facts.members.get(name);
  const apiVersion = own?.entry.apiVersion ?? "";
  const kindName = own?.entry.kind ?? "";
  const kind = facts.kindOf(apiVersion, kindName);
  const shown = { resource: name, key, kind: kindName, apiVersion };
  if (own === undefined || kind === undefined) {
    return {
      ...shown,
      action: "add",
      fields: [],
      deferred: 0,
      willRun: false,
      document: undefined,
    };
  }
  const after = rendered(own, spec, { kind, planning, unsettled });
  const before = member === undefined ? undefined : renderedBefore(member, planning, kind);
  const fields = fieldsOf(before?.document ?? {}, after, kind);
  const isChanged = fields.length > 0;
  const action = member === undefined ? "add" : isChanged ? "change" : "none";
  return {
    ...shown,
    action,
    fields,
    deferred: after.deferred.length,
    willRun: action !== "none" && facts.willRun(apiVersion, kindName),
    document: after.deferred.length === 0 ? after.document : undefined,
  };
}

interface Rendering {
  readonly kind: Kind;
  readonly planning: Planning;
  readonly unsettled: ReadonlySet<string>;
}

function rendered(own: CompiledResource, spec: Json, given: Rendering): PartlyRendered {
  const { kind, planning, unsettled } = given;
  const input = {
    document: own.entry.document,
    spec,
    resources: outputsOf(own, planning),
    externals: new Map<string, JsonObject>(),
    kind,
  };
  try {
    return renderPartly(input, (each) => !unsettled.has(each) && input.resources.has(each));
  } catch (error) {
    if (!(error instanceof TemplateProblem)) throw error;
    // Values of externals and secret outputs are not read by a plan.
    return renderPartly(input, () => false);
  }
}

/** With the outputs that it was applied with. */
function renderedBefore(
  member: Resource,
  planning: Planning,
  kind: Kind,
): PartlyRendered | undefined {
  const spec = objectAt(member, "spec");
  const own = planning.facts.entryOf(textAt(spec, "template"), textAt(spec, "key"));
  if (own === undefined) return undefined;
  return rendered(own, spec, { kind, planning, unsettled: new Set() });
}

function outputsOf(own: CompiledResource, { outputs }: Planning): ReadonlyMap<string, Outputs> {
  const found = new Map<string, Outputs>();
  for (const key of own.referred.keys) {
    const values = outputs.get(key);
    if (values !== undefined) found.set(key, values);
  }
  return found;
}

/** The outputs of the members that are ready, by key. */
function readyOutputs(members: Iterable<Resource>): ReadonlyMap<string, Outputs> {
  const byKey = new Map<string, { values: JsonObject[]; isCounted: boolean }>();
  const positionOf = ({ spec }: Resource): number => numberAt(spec, "index") ?? 0;
  const inOrder = [...members].toSorted((a, b) => positionOf(a) - positionOf(b));
  for (const { spec, status } of inOrder) {
    if (textAt(status, "state") !== "Ready") continue;
    const key = textAt(spec, "key");
    const found = byKey.get(key) ?? { values: [], isCounted: false };
    found.values.push({ outputs: objectAt(status, "outputs") });
    found.isCounted ||= numberAt(spec, "index") !== undefined;
    byKey.set(key, found);
  }
  return new Map(
    [...byKey].map(([key, { values, isCounted }]) => [key, isCounted ? values : (values[0] ?? {})]),
  );
}

function fieldsOf(before: JsonObject, after: PartlyRendered, kind: Kind): readonly JsonObject[] {
  const places = after.deferred.map(({ text }) => formatPointer(text.place));
  const isDeferred = (path: string): boolean =>
    places.some((each) => path === each || path.startsWith(`${each}/`));
  const shownBefore = shownDocument(kind, before);
  const shownChanges = diff(shownBefore, shownDocument(kind, after.document));
  const known = shownChanges.filter(({ path }) => !isDeferred(path)).map(fieldOf);
  const secrets = new Set([
    ...sealedPointers(kind, before),
    ...sealedPointers(kind, after.document),
  ]);
  const hidden = [...secrets]
    .filter((path) => {
      const place = parsePointer(path);
      const isSame = equalJson(getAt(before, place), getAt(after.document, place));
      return !isSame && !isDeferred(path);
    })
    .map((path) => ({ path: shownPath(path), hidden: true }));
  const later = after.deferred.map(({ text, on }) => {
    const old = getAt(shownBefore, text.place);
    return {
      path: text.place.join("."),
      ...(old === undefined ? {} : { before: old }),
      deferred: `known after ${on.join(", ")} is applied`,
    };
  });
  return [...known, ...hidden, ...later].slice(0, environmentLimits.maxPlanFields);
}

function fieldOf(change: FieldChange): JsonObject {
  return {
    path: shownPath(change.path),
    ...("old" in change ? { before: change.old } : {}),
    ...("new" in change ? { after: change.new } : {}),
  };
}

function shownPath(pointer: string): string {
  return parsePointer(pointer).join(".");
}

function removalOf({ metadata, spec, status }: Resource): PlannedChange {
  return {
    resource: metadata.name,
    key: textAt(spec, "key"),
    kind: textAt(status, "target", "kind"),
    apiVersion: textAt(status, "target", "apiVersion"),
    action: "remove",
    fields: [],
    deferred: 0,
    willRun: false,
    document: undefined,
  };
}
