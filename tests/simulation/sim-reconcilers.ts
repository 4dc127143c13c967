// What the authors of the simulated kinds wrote. An App uses everything that a context offers; what
// it makes in the outside depends on its spec, its Config and its Parts, so that a wake-up which
// was lost shows as a wrong state of the outside.

import { again, done, failed, ReconcileFailure, waiting } from "../../src/engine/outcome.ts";
import type { Blocker, Outcome } from "../../src/engine/outcome.ts";
import type { Context, Operation, Reconciler, Step } from "../../src/engine/reconciler.ts";
import { keyOf } from "../../src/kernel/resource.ts";
import type { Resource } from "../../src/kernel/resource.ts";
import type { Bodies, Body } from "./bodies.ts";
import type { Memory } from "./memory.ts";
import type { Outside } from "./outside.ts";
import type { SimulatedProcess } from "./process.ts";
import {
  apiVersion,
  appKind,
  appSpecOf,
  appState,
  conditionOf,
  configKeyOf,
  configKind,
  partKind,
  partName,
  partSpec,
  plainState,
  statusOf,
  valueOf,
} from "./sim-kinds.ts";
import type { AppSpec } from "./sim-kinds.ts";

export interface AuthorPlace {
  readonly process: SimulatedProcess;
  readonly bodies: Bodies;
  readonly outside: Outside;
  readonly memory: Memory;
  readonly settings: KindSettings & { readonly concurrency: number };
}

export interface KindSettings {
  readonly resyncMs: number;
  readonly timeoutMs: number;
}

export function simReconcilers(place: AuthorPlace): readonly Reconciler[] {
  return [
    appReconciler(place),
    plainReconciler(place, partKind),
    plainReconciler(place, configKind),
  ];
}

/** A Part or a Config: one effect, and no more. */
function plainReconciler(place: AuthorPlace, kind: string): Reconciler {
  const { process, bodies, outside, settings } = place;
  const reconciler: Reconciler = {
    kind,
    ...settings,
    reconcile: async (resource, context) =>
      await bodies.run(
        process,
        "reconcile",
        keyOf(kind, resource),
        resource,
        context,
        async (body) => {
          // Parts are made by a system with breakers; configs are called for directly.
          if (kind === partKind) {
            await context.outside("factory", (signal) =>
              outside.putInside(body, plainState(resource), signal),
            );
          } else await outside.put(body, plainState(resource));
          return done({ status: { applied: plainState(resource) } });
        },
      ),
  };
  if (kind === configKind) return reconciler;
  return { ...reconciler, remove: removeWith(place, kind) };
}

function appReconciler(place: AuthorPlace): Reconciler {
  const { process, bodies, settings } = place;
  return {
    kind: appKind,
    ...settings,
    reconcile: async (resource, context) =>
      await bodies.run(process, "reconcile", keyOf(appKind, resource), resource, context, (body) =>
        reconcileApp(place, body, resource, context),
      ),
    remove: removeWith(place, appKind),
    observe: async (resource, context) =>
      await bodies.run(
        process,
        "observe",
        keyOf(appKind, resource),
        resource,
        context,
        async () => {
          return await Promise.resolve(done({ status: { observed: true } }));
        },
      ),
  };
}

function removeWith(
  { process, bodies, outside, memory }: AuthorPlace,
  kind: string,
): (resource: Resource, context: Context) => Promise<Outcome> {
  return async (resource, context) =>
    await bodies.run(process, "remove", keyOf(kind, resource), resource, context, async (body) => {
      if (kind === appKind) memory.checkExternalId(body, context.externalId);
      await outside.remove(body);
      return done();
    });
}

async function reconcileApp(
  place: AuthorPlace,
  body: Body,
  resource: Resource,
  context: Context,
): Promise<Outcome> {
  const { outside, memory } = place;
  const spec = appSpecOf(resource);
  memory.checkExternalId(body, context.externalId);
  const input = await inputOf(spec, context);
  if (input === "missing") {
    const { kind, name } = configKeyOf("", spec.config ?? "");
    return waiting({ kind, name }, { message: "no config" });
  }
  const password = await context.remember("password", () => memory.newValue("password"));
  memory.remembered(body, "password", password);
  // Only what is new tells of its progress: what is looked at again is not to be written.
  const isNew = statusOf(resource)["observedGeneration"] !== body.generation;
  if (isNew && isEven(body)) await context.status.patch({ phase: `working on ${spec.value}` });
  if (spec.steps > 0) await performSteps(place, body, spec, context);
  else if (isNew) await context.progress({ done: 1, of: 2, message: "parts" });
  const blockers = await keepParts(body, spec, context);
  await outside.put(body, appState(spec, input));
  const id = `ext-${body.uid}`;
  await context.rememberExternalId(id);
  memory.externalIdStored(body, id);
  if (blockers.length > 0) return waiting(blockers, { message: "parts are not ready" });
  // Some things take two looks.
  if (isNew && !isEven(body)) return again(700, { status: { phase: null } });
  return done({ status: { applied: appState(spec, input), phase: null } });
}

/** As good as by chance, and the same for each seed. */
function isEven({ token }: Body): boolean {
  return token % 2 === 0;
}

async function inputOf(spec: AppSpec, context: Context): Promise<number | undefined | "missing"> {
  if (spec.config === undefined) return undefined;
  const { kind, name } = configKeyOf("", spec.config);
  const config = await context.references.get({ kind, name });
  return config === undefined ? "missing" : valueOf(config);
}

/** The parts that are not there or not ready yet. */
async function keepParts(body: Body, spec: AppSpec, context: Context): Promise<readonly Blocker[]> {
  const blockers: Blocker[] = [];
  const wanted = new Set<string>();
  for (let index = 0; index < spec.parts; index += 1) {
    const name = partName(body.key, index);
    wanted.add(name);
    const part = await context.children.apply({
      apiVersion,
      kind: "Part",
      metadata: { name },
      spec: partSpec(spec, index),
    });
    const ready = conditionOf(part, "Ready");
    const isReady =
      ready?.["status"] === "True" && ready["observedGeneration"] === part.metadata.generation;
    if (!isReady) blockers.push({ kind: partKind, name, condition: "Ready" });
  }
  for (const part of await context.children.list(partKind)) {
    if (wanted.has(part.metadata.name)) continue;
    await context.children.delete({ kind: partKind, name: part.metadata.name });
  }
  return blockers;
}

async function performSteps(
  { outside, memory }: AuthorPlace,
  body: Body,
  spec: AppSpec,
  context: Context,
): Promise<void> {
  const names = Array.from({ length: spec.steps }, (_, index) => `step${index}`);
  const steps = names.map((name, index): Step => {
    return {
      name,
      run: async (results) => {
        const given = names.slice(0, index).map((other) => results[other]);
        const result = memory.stepBegins(body, spec.about, index, given);
        if (outside.moodOf(body.key.name) === "fatal" && index === spec.steps - 1) {
          throw new ReconcileFailure(failed("Hopeless", "not this way", { retry: "never" }));
        }
        await body.sleep(index * 10);
        body.checkStillHeld();
        return result;
      },
      undo: async (result, results) => {
        const left = names.flatMap((other, at) => (Object.hasOwn(results, other) ? [at] : []));
        memory.stepUndone(body, spec.about, index, result, left);
        await body.sleep(5);
      },
    };
  });
  // Some authors do not finish what is not wanted any more.
  const until = isEven(body) ? { until: context.superseded } : {};
  const operation: Operation = { name: "provision", about: spec.about, steps, ...until };
  const results = await context.perform(operation);
  memory.performed(
    body,
    spec.about,
    names.map((name) => results[name]),
  );
}
