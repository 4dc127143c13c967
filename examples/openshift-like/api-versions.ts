// The two api-versions of the cluster. They differ in shape and share one stored form. Each has a
// schema and two functions. The older one does not know zones and fipsModules: values that the
// younger one has written there survive every write of the older one.

import type { ArmVersion, JsonObject } from "setpoint";

/** The stored form, which the reconciler uses. */
export interface ClusterSpec {
  readonly cluster: {
    readonly domain: string;
    readonly version: string;
    readonly fipsModules?: boolean;
  };
  readonly network: { readonly podCidr: string; readonly serviceCidr: string };
  readonly workers: {
    readonly vmSize: string;
    readonly count: number;
    readonly zones?: readonly string[];
  };
  readonly servicePrincipal: { readonly clientId: string; readonly clientSecret?: string };
  /** In no api-version: an action sets it. Another value requests another password. */
  readonly credentials?: { readonly rotation: string };
  readonly simulation?: { readonly phaseMilliseconds?: number; readonly failAt?: string };
}

export interface ClusterStatus {
  readonly infrastructureId?: string;
  readonly apiServerUrl?: string;
  readonly consoleUrl?: string;
}

const rule = "x-setpoint-field-rule";
const text = { type: "string", minLength: 1, maxLength: 253 };
const cidr = { type: "string", format: "cidr", [rule]: "create-only" };
const domain = { ...text, pattern: "^[a-z0-9.-]+$", [rule]: "create-only" };
const version = { type: "string", pattern: "^4\\.[0-9]+\\.[0-9]+$" };
const vmSize = { type: "string", enum: ["Standard_D4s_v3", "Standard_D8s_v3"] };
const count = { type: "integer", minimum: 2, maximum: 60 };
const reported = { type: "string", [rule]: "read-only" };

const servicePrincipalProfile = {
  type: "object",
  required: ["clientId"],
  properties: {
    clientId: text,
    clientSecret: { type: "string", minLength: 1, [rule]: "secret" },
  },
};
const network = {
  podCidr: { ...cidr, default: "10.128.0.0/14" },
  serviceCidr: { ...cidr, default: "172.30.0.0/16" },
};
/** For tests: how long each phase takes, and which one fails. */
const simulation = {
  type: "object",
  properties: {
    phaseMilliseconds: { type: "integer", minimum: 0, maximum: 60_000 },
    failAt: { type: "string", maxLength: 64 },
  },
};

export const older: ArmVersion = {
  apiVersion: "2026-01-01",
  schema: {
    type: "object",
    description: "A cluster that its provider installs and maintains.",
    required: ["domain", "servicePrincipalProfile"],
    properties: {
      domain,
      openshiftVersion: { ...version, default: "4.19.1" },
      ...network,
      workerSize: { ...vmSize, default: "Standard_D4s_v3" },
      workerCount: { ...count, default: 3 },
      servicePrincipalProfile,
      simulation,
      apiServerUrl: reported,
      consoleUrl: reported,
    },
  },
  fromStored: (stored) => {
    const { cluster, network: net, workers, servicePrincipal, simulation: sim } = specOf(stored);
    const { apiServerUrl, consoleUrl }: ClusterStatus = stored.status;
    return present({
      domain: cluster.domain,
      openshiftVersion: cluster.version,
      podCidr: net.podCidr,
      serviceCidr: net.serviceCidr,
      workerSize: workers.vmSize,
      workerCount: workers.count,
      servicePrincipalProfile: servicePrincipal,
      simulation: sim,
      apiServerUrl,
      consoleUrl,
    });
  },
  toStored: (properties, before) => {
    const given = properties as unknown as OlderProperties;
    const old = before as unknown as ClusterSpec | undefined;
    return present({
      ...before,
      cluster: { ...old?.cluster, domain: given.domain, version: given.openshiftVersion },
      network: { podCidr: given.podCidr, serviceCidr: given.serviceCidr },
      workers: { ...old?.workers, vmSize: given.workerSize, count: given.workerCount },
      servicePrincipal: given.servicePrincipalProfile,
      simulation: given.simulation,
    });
  },
  examples: {
    "A small cluster": {
      domain: "shop.example.com",
      servicePrincipalProfile: { clientId: "installer", clientSecret: "not a real one" },
    },
  },
};

export const younger: ArmVersion = {
  apiVersion: "2026-08-01",
  schema: {
    type: "object",
    description: "A cluster that its provider installs and maintains.",
    required: ["clusterProfile", "servicePrincipalProfile"],
    properties: {
      clusterProfile: {
        type: "object",
        required: ["domain"],
        properties: {
          domain,
          version: { ...version, default: "4.19.1" },
          fipsModules: { type: "boolean", [rule]: "create-only" },
        },
      },
      networkProfile: { type: "object", default: {}, properties: network },
      workerProfile: {
        type: "object",
        default: {},
        properties: {
          vmSize: { ...vmSize, default: "Standard_D4s_v3" },
          count: { ...count, default: 3 },
          zones: {
            type: "array",
            maxItems: 3,
            "x-kubernetes-list-type": "set",
            items: { type: "string", enum: ["1", "2", "3"] },
          },
        },
      },
      servicePrincipalProfile,
      simulation,
      apiServerProfile: {
        type: "object",
        [rule]: "read-only",
        properties: { url: { type: "string" } },
      },
      consoleProfile: {
        type: "object",
        [rule]: "read-only",
        properties: { url: { type: "string" } },
      },
    },
  },
  fromStored: (stored) => {
    const { cluster, network: net, workers, servicePrincipal, simulation: sim } = specOf(stored);
    const { apiServerUrl, consoleUrl }: ClusterStatus = stored.status;
    return present({
      clusterProfile: cluster,
      networkProfile: net,
      workerProfile: workers,
      servicePrincipalProfile: servicePrincipal,
      simulation: sim,
      apiServerProfile: apiServerUrl === undefined ? undefined : { url: apiServerUrl },
      consoleProfile: consoleUrl === undefined ? undefined : { url: consoleUrl },
    });
  },
  toStored: (properties, before) => {
    const given = properties as unknown as YoungerProperties;
    return present({
      ...before,
      cluster: given.clusterProfile,
      network: given.networkProfile,
      workers: given.workerProfile,
      servicePrincipal: given.servicePrincipalProfile,
      simulation: given.simulation,
    });
  },
  examples: {
    "A cluster in two zones": {
      clusterProfile: { domain: "shop.example.com", version: "4.20.3", fipsModules: true },
      workerProfile: { vmSize: "Standard_D8s_v3", count: 6, zones: ["1", "2"] },
      servicePrincipalProfile: { clientId: "installer", clientSecret: "not a real one" },
    },
  },
};

interface OlderProperties {
  readonly domain: string;
  readonly openshiftVersion: string;
  readonly podCidr: string;
  readonly serviceCidr: string;
  readonly workerSize: string;
  readonly workerCount: number;
  readonly servicePrincipalProfile: ClusterSpec["servicePrincipal"];
  readonly simulation?: ClusterSpec["simulation"];
}

interface YoungerProperties {
  readonly clusterProfile: ClusterSpec["cluster"];
  readonly networkProfile: ClusterSpec["network"];
  readonly workerProfile: ClusterSpec["workers"];
  readonly servicePrincipalProfile: ClusterSpec["servicePrincipal"];
  readonly simulation?: ClusterSpec["simulation"];
}

/** The schema of the kind has checked it. */
function specOf({ spec }: { readonly spec: JsonObject }): ClusterSpec {
  return spec as unknown as ClusterSpec;
}

/** Without undefined fields. */
function present(fields: Readonly<Record<string, unknown>>): JsonObject {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as JsonObject;
}
