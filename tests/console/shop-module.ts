// A shop with a bit of everything that the console shows: resources that are ready, that fail, that
// wait for those that fail, that take long, and that own others.

import { again, defineModule, describeKind, done, failed, waiting } from "setpoint";
import type { Context, Outcome, Resource } from "setpoint";

interface Network extends Resource {
  readonly spec: { readonly region: string };
}

interface Database extends Resource {
  readonly spec: {
    readonly engine: string;
    readonly storageGiB: number;
    readonly replicas?: number;
    readonly network?: string;
    readonly password?: string;
  };
}

interface Backup extends Resource {
  readonly spec: { readonly steps: number };
}

const apiVersion = "shop.example/v1";

const network = describeKind({
  apiVersion,
  kind: "Network",
  plural: "networks",
  spec: {
    type: "object",
    required: ["region"],
    properties: {
      region: { type: "string", description: "Where the network is.", maxLength: 20 },
    },
  },
  columns: [{ name: "Region", type: "string", jsonPath: ".spec.region" }],
});

const database = describeKind({
  apiVersion,
  kind: "Database",
  plural: "databases",
  shortNames: ["db"],
  spec: {
    type: "object",
    required: ["engine"],
    properties: {
      engine: { type: "string", enum: ["postgres", "mysql"], description: "The product." },
      storageGiB: { type: "integer", minimum: 1, maximum: 1000, default: 10 },
      replicas: { type: "integer", minimum: 0, maximum: 5 },
      network: { type: "string", description: "The Network that it is in." },
      password: { type: "string", "x-setpoint-field-rule": "secret" },
    },
  },
  status: {
    type: "object",
    properties: { readyReplicas: { type: "integer" }, storageGiB: { type: "integer" } },
  },
  columns: [
    { name: "Engine", type: "string", jsonPath: ".spec.engine" },
    { name: "Storage GiB", type: "integer", jsonPath: ".spec.storageGiB" },
    { name: "Network", type: "string", jsonPath: ".spec.network" },
  ],
});

const backup = describeKind({
  apiVersion,
  kind: "Backup",
  plural: "backups",
  spec: { type: "object", properties: { steps: { type: "integer", default: 5 } } },
});

async function reconcileNetwork({ spec }: Network): Promise<Outcome> {
  if (spec.region === "eu") return failed("CreateFailed", "quota exceeded in region eu");
  if (spec.region === "hostile") {
    return failed("Hostile", '<img src=x onerror="document.title=1">\u202etxt', { retry: "never" });
  }
  return done();
}

async function reconcileDatabase({ spec }: Database, context: Context): Promise<Outcome> {
  const status = { readyReplicas: spec.network === undefined ? (spec.replicas ?? 0) : 1 };
  if (spec.network !== undefined) {
    const reference = { kind: "networks.shop.example", name: spec.network };
    const found = await context.references.get(reference);
    const message = "the network is missing";
    if (found === undefined) return waiting(reference, { status, message });
    const { conditions = [] } = (found.status ?? {}) as {
      readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    };
    if (!conditions.some((each) => each.type === "Ready" && each.status === "True")) {
      const on = { ...reference, condition: "Ready" };
      return waiting(on, { status, message: `Network/${spec.network} is not Ready.` });
    }
  }
  context.event("Normal", "Configured", `${spec.engine} with ${spec.storageGiB} GiB`);
  return done({ status: { readyReplicas: spec.replicas ?? 0, storageGiB: spec.storageGiB } });
}

/** One step in ten minutes, so that it is in progress whenever a test looks. */
async function reconcileBackup({ spec }: Backup, context: Context): Promise<Outcome> {
  await context.progress({ done: 2, of: spec.steps, message: "copying" });
  return again(600_000, { reason: "InProgress", message: `step 3 of ${spec.steps}: copying` });
}

export default defineModule({
  name: "shop",
  version: 1,
  kinds: [
    { kind: network, reconciler: { reconcile: reconcileNetwork } },
    { kind: database, reconciler: { reconcile: reconcileDatabase } },
    { kind: backup, reconciler: { reconcile: reconcileBackup } },
  ],
});
