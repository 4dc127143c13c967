// A resource provider for clusters, served through the Azure Resource Manager, with a simulated
// installer. It has the phases of a real one. Each finished phase is stored, so a crash repeats at
// most one. Random values are created once and stored. The password of the first user is in a
// Secret. One action shows it; another action, which is long like the installation, replaces it.
//
//   bin/setpoint dev --module examples/openshift-like/openshift-like.ts
//
// Create a cluster (GET shows the progress, POST $one/listCredentials the password):
//
//   sub=https://127.0.0.1:7443/subscriptions/11111111-2222-3333-4444-555555555555
//   one=$sub/resourceGroups/lab/providers/Example.OpenShift/clusters/one
//   call() { curl --cacert setpoint-data/ca.crt --header 'content-type: application/json' \
//     --header "authorization: Bearer $(cat setpoint-data/admin.token)" --request "$@"; echo; }
//   call PUT "$sub?api-version=2.0" --data '{"state":"Registered"}'
//   call PUT "$one?api-version=2026-01-01" --data '{"location":"westeurope","properties":
//     {"domain":"one.example","servicePrincipalProfile":{"clientId":"any"}}}'
//   call GET "$one?api-version=2026-01-01"

import { setTimeout as delay } from "node:timers/promises";
import {
  ArmActionRefused,
  armIdOf,
  defineModule,
  describeKind,
  done,
  failed,
  ReconcileFailure,
} from "setpoint";
import type { ArmAction, Context, JsonObject, Outcome, Resource, Step } from "setpoint";
import { older, younger } from "./api-versions.ts";
import type { ClusterSpec, ClusterStatus } from "./api-versions.ts";

interface Cluster extends Resource {
  readonly spec: ClusterSpec & JsonObject;
  readonly status?: ClusterStatus & JsonObject;
}

const text = { type: "string" };

const kind = describeKind({
  apiVersion: "examples.setpoint.dev/v1",
  kind: "OpenShiftLikeCluster",
  plural: "openshiftlikeclusters",
  shortNames: ["oslc"],
  spec: {
    type: "object",
    required: ["cluster", "network", "workers", "servicePrincipal"],
    properties: {
      cluster: {
        type: "object",
        required: ["domain", "version"],
        properties: { domain: text, version: text, fipsModules: { type: "boolean" } },
      },
      network: {
        type: "object",
        required: ["podCidr", "serviceCidr"],
        properties: { podCidr: text, serviceCidr: text },
      },
      workers: {
        type: "object",
        required: ["vmSize", "count"],
        properties: {
          vmSize: text,
          count: { type: "integer" },
          zones: { type: "array", items: text },
        },
      },
      servicePrincipal: {
        type: "object",
        required: ["clientId"],
        properties: { clientId: text, clientSecret: text },
      },
      credentials: { type: "object", properties: { rotation: text } },
      simulation: {
        type: "object",
        properties: { phaseMilliseconds: { type: "integer" }, failAt: text },
      },
    },
  },
  status: {
    type: "object",
    properties: { infrastructureId: text, apiServerUrl: text, consoleUrl: text },
  },
  fieldRules: [
    { path: "/spec/cluster/domain", rule: "create-only" },
    { path: "/spec/network", rule: "create-only" },
    { path: "/spec/servicePrincipal/clientSecret", rule: "secret" },
  ],
  columns: [
    { name: "Domain", type: "string", jsonPath: ".spec.cluster.domain" },
    { name: "Workers", type: "integer", jsonPath: ".spec.workers.count" },
    { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
});

async function reconcile(cluster: Cluster, context: Context): Promise<Outcome> {
  const { cluster: wanted, workers } = cluster.spec;
  const infrastructureId = await context.remember("infrastructureId", () => randomText(context, 5));
  const rotating = cluster.spec.credentials === undefined ? 0 : 2;
  await context.perform({
    name: "install",
    // All phases count as one operation for the progress.
    progress: { after: 2 + rotating },
    steps: [
      phase(cluster, context, "DeployStorage"),
      phase(cluster, context, "DeployResources"),
      phase(cluster, context, "RemoveBootstrap"),
    ],
  });
  // Configures the installed cluster; does nothing if the configuration did not change.
  await context.perform({
    name: "configure",
    about: JSON.stringify([workers, wanted.version]),
    progress: { before: 3, after: rotating },
    steps: [phase(cluster, context, "ScaleWorkers"), phase(cluster, context, "UpgradeVersion")],
  });
  const password = await currentPassword(cluster, context);
  await context.children.apply({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: credentialsName(cluster), annotations: createdFor(cluster) },
    type: "Opaque",
    data: { kubeadminPassword: Buffer.from(password).toString("base64") },
  });
  return done({
    status: {
      infrastructureId,
      apiServerUrl: `https://api.${wanted.domain}:6443/`,
      consoleUrl: `https://console.apps.${wanted.domain}/`,
    },
  });
}

/** Created once, and again for each requested rotation. */
async function currentPassword(cluster: Cluster, context: Context): Promise<string> {
  const { rotation } = cluster.spec.credentials ?? {};
  if (rotation === undefined) {
    return await context.remember("kubeadminPassword", () => randomText(context, 23));
  }
  const make = { name: "MakePassword", run: () => Promise.resolve(randomText(context, 23)) };
  const steps = [make, phase(cluster, context, "RotateCredentials")];
  const { MakePassword: password } = await context.perform({
    name: "rotate",
    about: rotation,
    progress: { before: 5 },
    steps,
  });
  return password as string;
}

async function remove(cluster: Cluster, context: Context): Promise<Outcome> {
  await context.perform({
    name: "uninstall",
    steps: [
      phase(cluster, context, "DetachNetwork"),
      phase(cluster, context, "DeleteResources"),
      phase(cluster, context, "DeleteStorage"),
    ],
  });
  return done();
}

/** A real one would call the cloud here, through `context.outside`. */
function phase({ spec }: Cluster, context: Context, name: string): Step {
  const { phaseMilliseconds = 0, failAt } = spec.simulation ?? {};
  return {
    name,
    run: async () => {
      if (phaseMilliseconds > 0) {
        await delay(phaseMilliseconds, undefined, { signal: context.signal });
      }
      if (failAt !== name) return { endedAtMs: context.clock.nowMs() };
      const message = `The phase ${name} failed, as configured.`;
      throw new ReconcileFailure(failed("SimulatedFailure", message, { retry: "never" }));
    },
    undo: () => Promise.resolve(),
  };
}

/** Names the cluster in the objects that are created for it. */
function createdFor(cluster: Cluster): Readonly<Record<string, string>> {
  const id = armIdOf(cluster);
  return id === undefined ? {} : { resourceCreatedFor: id };
}

/** 32 characters, so that each has the same probability; no two look alike. */
const letters = "abcdefghijkmnpqrstuvwxyz23456789";

function randomText({ random }: Context, length: number): string {
  return Array.from(random.bytes(length), (byte) => letters[byte % letters.length]).join("");
}

function credentialsName({ metadata }: Resource): string {
  return `${metadata.name}-credentials`;
}

const listCredentials: ArmAction = {
  name: "listCredentials",
  description: "Returns the password of the first user of the cluster.",
  outputSchema: {
    type: "object",
    properties: {
      kubeadminUsername: text,
      kubeadminPassword: { type: "string", "x-setpoint-field-rule": "secret" },
    },
  },
  perform: async (cluster, _input, context) => {
    const secret = await context.child({ kind: "secrets", name: credentialsName(cluster) });
    const { data } = (secret ?? {}) as { readonly data?: { readonly kubeadminPassword?: string } };
    if (data?.kubeadminPassword === undefined) {
      throw new ArmActionRefused("ClusterNotInstalled", "The cluster has not been installed yet.");
    }
    const password = Buffer.from(data.kubeadminPassword, "base64").toString("utf8");
    return { kubeadminUsername: "kubeadmin", kubeadminPassword: password };
  },
};

/** Requests another rotation; the reconciler carries it out. */
const rotateCredentials: ArmAction = {
  ...listCredentials,
  name: "rotateCredentials",
  description: "Replaces the password of the first user of the cluster and returns the new one.",
  change: ({ spec }, _input, { operation }) => ({
    ...(spec as JsonObject),
    credentials: { rotation: operation },
  }),
};

export default defineModule({
  name: "openshift-like",
  version: 1,
  kinds: [
    {
      kind,
      reconciler: { reconcile, remove, timeoutMs: 600_000 },
      arm: {
        provider: "Example.OpenShift",
        type: "clusters",
        locations: ["West Europe", "East US"],
        versions: [older, younger],
        actions: [listCredentials, rotateCredentials],
        // A real installation is slow, so a request never waits for its end.
        awaitEndMs: 0,
        operationTimeoutMs: 3_600_000,
      },
    },
  ],
});
