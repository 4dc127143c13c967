// The module that the servers of a campaign run. Its effects go to effects-recorder.ts, with the
// token of the claim and a key that is the same for every attempt at the same effect. Runs take
// some time and some of them several durable steps, so that trouble meets them in the middle.
import { setTimeout as delay } from "node:timers/promises";
import {
  defineModule,
  describeKind,
  done,
  failed,
  ReconcileFailure,
} from "../../src/authoring/setpoint.ts";
import type { Context, Outcome, Resource } from "../../src/authoring/setpoint.ts";
import { numberAt } from "../../src/kernel/json-read.ts";
import type { Applied } from "./effects-check.ts";
import type { Effect, Verdict } from "./effects-recorder.ts";

/** Where the recorder listens. */
const recorder = process.env["SETPOINT_TEST_RECORDER"] ?? "";
const longestMs = 40;

const integer = { type: "integer" };
const appliedSchema = {
  type: "object",
  properties: { generation: integer, value: integer, token: integer },
};

export default defineModule({
  name: "chaos",
  kinds: [
    {
      kind: describeKind({
        apiVersion: "chaos.example/v1",
        kind: "Effect",
        plural: "effects",
        spec: { type: "object", required: ["value"], properties: { value: integer } },
        status: { type: "object", properties: { applied: appliedSchema } },
      }),
      reconciler: { reconcile, remove, retry: { soonFirstMs: 200, soonMostMs: 2_000 } },
    },
  ],
});

async function reconcile(resource: Resource, context: Context): Promise<Outcome> {
  const value = numberAt(resource, "spec", "value") ?? 0;
  const { generation } = resource.metadata;
  await delay(context.random.next() * longestMs, undefined, { signal: context.signal });
  const step = (action: Effect["action"]) => ({
    name: action,
    run: async (): Promise<Verdict> => await ask(resource, action, value, context),
  });
  if (value % 4 === 0) {
    const steps = [step("prepare"), step("apply")];
    await context.perform({ name: "apply", about: String(generation), steps });
  }
  // Steps that an earlier holder did are not repeated, but the outside learns of this one.
  await ask(resource, "apply", value, context);
  const applied: Applied = { generation, value, token: context.token };
  return done({ status: { applied: { ...applied } } });
}

async function remove(resource: Resource, context: Context): Promise<Outcome> {
  await delay(context.random.next() * longestMs, undefined, { signal: context.signal });
  await ask(resource, "remove", 0, context);
  return done();
}

async function ask(
  { metadata: { uid, generation } }: Resource,
  action: Effect["action"],
  value: number,
  { token, signal }: Context,
): Promise<Verdict> {
  const key = action === "remove" ? `${uid}/remove` : `${uid}/${generation}/${action}`;
  const effect: Effect = { uid, action, generation, value, token, key };
  const response = await fetch(recorder, { method: "POST", body: JSON.stringify(effect), signal });
  const { verdict } = (await response.json()) as { readonly verdict: Verdict };
  if (verdict !== "stale") return verdict;
  throw new ReconcileFailure(failed("Stale", "somebody else has taken over"));
}
