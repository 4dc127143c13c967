// A fleet in memory whose quota service is the ledger of the real one, without a network: requests
// fail as the test says.

import type { CallJson, HttpFailure } from "../../src/adapters/http/port.ts";
import type { BuiltInModule } from "../../src/contract/module.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectAt, textAt } from "../../src/kernel/json-read.ts";
import type { Resource } from "../../src/kernel/resource.ts";
import { fleet } from "../../src/modules/fleet/module.ts";
import { QuotaLedger } from "../peers/quota-ledger.ts";
import { dinosaurVersion, fleetVersion, instanceAt, openMemoryFleet } from "./memory-fleet.ts";
import type { MemoryFleet } from "./memory-fleet.ts";

export interface QuotaFleet extends AsyncDisposable {
  readonly fleet: MemoryFleet;
  readonly ledger: QuotaLedger;
  /** Refuses every connection while it is true. */
  isDown: boolean;
  create(name: string, spec?: JsonObject): Promise<void>;
  remove(name: string): Promise<void>;
  read(name: string): Promise<Resource | undefined>;
  /** "phase", or "none" for an instance that does not exist. */
  phase(name: string): Promise<string>;
}

export async function openQuotaFleet(offering: JsonObject = {}): Promise<QuotaFleet> {
  const ledger = new QuotaLedger();
  ledger.setLimits({ "acme/standard": 5 });
  const service = { ledger, isDown: false };
  const opened = await openMemoryFleet({ module: withCalls(callsOf(service)) });
  const { memory } = opened;
  const http = { url: "http://quota.example/v1/" };
  await opened.offer({ quota: { backend: "http", http }, ...offering });
  await opened.organise("acme", { members: [{ user: "alice" }, { user: "bob" }] });
  await memory.create({
    apiVersion: fleetVersion,
    kind: "DataPlaneCluster",
    metadata: { name: "east-1" },
    spec: {
      provider: "aws",
      region: "us-east-1",
      dns: "apps.east-1.example.com",
      executor: { kind: "simulator" },
    },
  });
  await opened.pass(5_000);
  return {
    fleet: opened,
    ledger,
    get isDown() {
      return service.isDown;
    },
    set isDown(isDown) {
      service.isDown = isDown;
    },
    create: async (name, spec = {}) => {
      await memory.create({
        apiVersion: dinosaurVersion,
        kind: "Dinosaur",
        metadata: { name, namespace: "org-acme" },
        spec: {
          id: `id-${name}`,
          owner: "alice",
          cloudProvider: "aws",
          region: "us-east-1",
          type: "standard",
          ...spec,
        },
      });
    },
    remove: async (name) => {
      await memory.remove(instanceAt(name));
    },
    read: async (name) => await memory.read(instanceAt(name)),
    phase: async (name) => {
      const found = await memory.read(instanceAt(name));
      return found === undefined ? "none" : textAt(found.status, "phase");
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

function withCalls(callJson: CallJson): BuiltInModule {
  return {
    ...fleet,
    open: async (ports) => {
      const opened = await fleet.open?.({ ...ports, callJson });
      if (opened === undefined) throw new Error("the fleet module can be opened");
      return opened;
    },
  };
}

function callsOf(service: { readonly ledger: QuotaLedger; readonly isDown: boolean }): CallJson {
  const { ledger } = service;
  return async ({ method, url, body }) => {
    if (service.isDown) return failure(true);
    const fault = ledger.nextFault(method);
    if (fault?.kind === "drop") return failure(false);
    if (fault?.kind === "status") {
      return { kind: "json", status: fault.status ?? 503, headers: {}, json: undefined };
    }
    const path = url.pathname.replace(/^\/v1/, "");
    const answer = ledger.perform(method, path, body ?? null);
    if (fault?.kind === "lose") return failure(false);
    return { kind: "json", status: answer.status, headers: {}, json: answer.body };
  };
}

function failure(isUnsent: boolean): HttpFailure {
  const code = isUnsent ? "ECONNREFUSED" : "ECONNRESET";
  const phase = isUnsent ? "connecting" : "waiting";
  return { kind: "failure", reason: "connection", phase, isUnsent, code, message: code };
}

/** `status.quota` of an instance. */
export async function quotaOf(quota: QuotaFleet, name: string): Promise<JsonObject> {
  return objectAt((await quota.read(name))?.status, "quota");
}
