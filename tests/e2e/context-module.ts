// A module that uses everything that a run has, and writes down what it saw. The result must be the
// same on the main thread and in a thread of its own.
import { AsyncLocalStorage } from "node:async_hooks";
import { ReconcileFailure, defineModule, describeKind, done, failed } from "setpoint";
import type { Context, JsonObject, Outcome, Resource } from "setpoint";

interface Thing extends Resource {
  readonly spec: { readonly size: number };
}

const kind = describeKind({
  apiVersion: "context.example/v1",
  kind: "Thing",
  plural: "things",
  spec: { type: "object", properties: { size: { type: "integer" } } },
  status: {
    type: "object",
    properties: { seen: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
  },
});

class Refused extends Error {
  readonly status = 404;
  readonly detail = Symbol("not sent");
}

const own = new AsyncLocalStorage<string>();

async function useAll(thing: Thing, context: Context): Promise<JsonObject> {
  const { name } = thing.metadata;
  const first = await context.remember("first", () => ({ made: 1 }));
  const again = await context.remember("first", () => ({ made: 2 }));
  await context.rememberExternalId(`id-${name}`);
  await context.progress({ done: 1, of: 2, message: "half" });
  await context.status.patch({ seen: { patched: true } });
  const child = await context.children.apply({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `child-${name}` },
    data: { size: String(thing.spec.size) },
  });
  const children = await context.children.list("configmaps");
  const reference = await context.references.get({ kind: "configmaps", name: `child-${name}` });
  const missing = await context.references.get({ kind: "configmaps", name: "missing" });
  // A Map with functions cannot be sent to another thread.
  const kept = await context.outside("service", (signal) =>
    Promise.resolve(new Map([["aborted", () => signal.aborted]])),
  );
  const thrown = new Refused("no");
  const caught = await context
    .outside("service", () => Promise.reject(thrown))
    .catch((error: unknown) => error === thrown && error instanceof Refused);
  const spanned = await own.run("inside", () =>
    context.tracer.span("work", async () => {
      await Promise.resolve();
      return own.getStore() ?? "lost";
    }),
  );
  const results = await context.perform({
    name: "build",
    until: context.superseded,
    steps: [
      { name: "one", run: () => Promise.resolve({ id: 1 }) },
      { name: "two", run: (soFar) => Promise.resolve({ after: soFar["one"] ?? null }) },
    ],
  });
  context.metrics.count("context_things_total", { how: "all" });
  context.event("Normal", "UsedAll", "everything was used");
  context.log.warn({ size: thing.spec.size, error: new Error("shown") }, "context used");
  return {
    first,
    again,
    externalId: context.externalId ?? "",
    attempt: context.attempt,
    hasToken: context.token > 0,
    childOwner: child.metadata.ownerReferences?.[0]?.name ?? "",
    children: children.length,
    reference: reference?.metadata.name ?? "",
    isMissing: missing === undefined,
    kept: kept.get("aborted")?.() ?? "lost",
    caught,
    spanned,
    results,
    isFrozen: Object.isFrozen(thing.spec),
    ownMetric: refusalOf(() => context.metrics.count("setpoint_own")),
    isAborted: context.signal.aborted,
    random: context.random.next() < 1,
    clock: context.clock.nowMs() > 0,
  };
}

function refusalOf(run: () => void): string {
  try {
    run();
    return "none";
  } catch (error) {
    return error instanceof TypeError ? "TypeError" : "another";
  }
}

async function reconcile(thing: Thing, context: Context): Promise<Outcome> {
  const { name } = thing.metadata;
  if (name === "fails") throw new ReconcileFailure(failed("TooSmall", "no", { retry: "never" }));
  if (name === "throws") throw new Error("not shown");
  if (name === "wrapped") await wrapped(context);
  if (name === "undone") await undone(context);
  if (name === "superseded" && thing.spec.size === 1) {
    const { promise, reject } = Promise.withResolvers<never>();
    context.superseded.addEventListener("abort", () => reject(context.superseded.reason as Error));
    await context.status.patch({ seen: { waits: true } });
    await promise;
  }
  if (name === "times-out") {
    const { promise, reject } = Promise.withResolvers<never>();
    context.signal.addEventListener("abort", () => reject(context.signal.reason as Error));
    await promise;
  }
  const seen = name === "all" ? await useAll(thing, context) : { size: thing.spec.size };
  return done({ status: { seen } });
}

/** The failure of a step, wrapped by code in between. */
async function wrapped(context: Context): Promise<void> {
  const run = (): Promise<never> => {
    throw new ReconcileFailure(failed("Inner", "inside", { retry: "slow" }));
  };
  try {
    await context.perform({ name: "wrapped", steps: [{ name: "one", run }] });
  } catch (cause) {
    if (!(cause instanceof ReconcileFailure)) throw new Error("another class", { cause });
    throw new Error("around", { cause });
  }
}

async function undone(context: Context): Promise<void> {
  await context.perform({
    name: "undone",
    steps: [
      {
        name: "one",
        run: () => Promise.resolve({ id: 7 }),
        undo: async (result) => {
          await context.status.patch({ seen: { undone: result } });
        },
      },
      {
        name: "two",
        run: () => {
          throw new ReconcileFailure(failed("Broken", "two broke", { retry: "never" }));
        },
      },
    ],
  });
}

async function remove(thing: Thing, context: Context): Promise<Outcome> {
  context.log.warn({ externalId: context.externalId }, "context removed");
  await context.children.delete({ kind: "configmaps", name: `child-${thing.metadata.name}` });
  return done();
}

/** A class, as authors may write it. */
class Things {
  readonly timeoutMs = 2_000;
  readonly #prefix = "private";

  async reconcile(thing: Thing, context: Context): Promise<Outcome> {
    if (this.#prefix !== "private") throw new Error("called without its object");
    return await reconcile(thing, context);
  }

  async remove(thing: Thing, context: Context): Promise<Outcome> {
    return await remove(thing, context);
  }
}

export default defineModule({
  name: "context",
  kinds: [{ kind, reconciler: new Things() }],
  systems: { service: { calls: 2 } },
  metrics: { context_things_total: { kind: "counter", help: "Things.", labels: ["how"] } },
});
