// How a module words the refusal of a name or a counter that it contributed to a write.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AdmissionPlugin, AdmissionRequest } from "../intents/admission/admission.ts";
import type { BuiltInModule } from "../contract/module.ts";
import { SetpointError, isSetpointError } from "../kernel/errors.ts";
import type { HeldFault } from "../kernel/held-fault.ts";
import type { JsonObject } from "../kernel/json.ts";
import { textAt } from "../kernel/json-read.ts";
import { openMemoryPlane } from "./memory-plane.ts";
import type { MemoryPlane } from "./memory-plane.ts";

/** ConfigMaps hold the host of their data and places of a pool; the one named `pool` bounds it. */
function hostsPlugin(seen: HeldFault[]): AdmissionPlugin {
  const isOurs = ({ target }: AdmissionRequest): boolean => target.served.id === "configmaps";
  return {
    name: "hosts",
    countsUpdates: true,
    uses: (request) => {
      if (!isOurs(request)) return undefined;
      const places = Number(textAt(request.object, "data", "places"));
      return [{ counter: "test pool", amount: places }];
    },
    names: (request) => {
      if (!isOurs(request)) return undefined;
      const host = textAt(request.object, "data", "host");
      return host === "" ? [] : [{ scope: "test hosts", name: host }];
    },
    bounds: (request) => {
      const bound = textAt(request.object, "data", "bound");
      if (!isOurs(request) || bound === "") return undefined;
      return [{ counter: "test pool", max: Number(bound) }];
    },
    refusal: ({ operation, target }, fault) => {
      seen.push(fault);
      if ("scope" in fault) {
        const message = `${operation} ${target.name}: host ${fault.name} is in use`;
        return new SetpointError("resource.invalid", message, { details: { reason: "host" } });
      }
      if (!("value" in fault)) return undefined;
      const message = `${operation} ${target.name}: ${fault.value} of ${fault.max} places`;
      return new SetpointError("request.forbidden", message);
    },
  };
}

function opened(seen: HeldFault[], ...others: AdmissionPlugin[]): Promise<MemoryPlane> {
  const admission = [hostsPlugin(seen), ...others];
  const hosts: BuiltInModule = { name: "hosts", version: 1, open: async () => ({ admission }) };
  return openMemoryPlane({ builtIn: [hosts] });
}

function configMap(name: string, data: JsonObject): JsonObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" }, data };
}

const at = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", namespace: "default", name });
const holder = { kind: "configmaps", namespace: "default", name: "a" };

test("a plugin words the refusal of its name and its counter on create and on update", async () => {
  const seen: HeldFault[] = [];
  await using memory = await opened(seen);
  await memory.create(configMap("pool", { bound: "3" }));
  await memory.create(configMap("a", { host: "x", places: "2" }));
  await memory.create(configMap("b", { host: "y", places: "1" }));
  const taken = { code: "resource.invalid", details: { reason: "host" } };
  await assert.rejects(memory.create(configMap("c", { host: "x" })), {
    ...taken,
    message: "CREATE c: host x is in use",
  });
  await assert.rejects(memory.patch(at("b"), { data: { host: "x" } }), {
    ...taken,
    message: "UPDATE b: host x is in use",
  });
  await assert.rejects(memory.create(configMap("c", { places: "4" })), {
    code: "request.forbidden",
    message: "CREATE c: 7 of 3 places",
  });
  await assert.rejects(memory.patch(at("b"), { data: { places: "2" } }), {
    code: "request.forbidden",
    message: "UPDATE b: 4 of 3 places",
  });
  assert.deepEqual(seen, [
    { scope: "test hosts", name: "x", holder },
    { scope: "test hosts", name: "x", holder },
    { counter: "test pool", value: 7, max: 3 },
    { counter: "test pool", value: 4, max: 3 },
  ]);
});

test("an update replaces the name, the use and the bound of a resource", async () => {
  await using memory = await opened([]);
  await memory.create(configMap("pool", { bound: "3" }));
  await memory.create(configMap("a", { host: "x", places: "3" }));
  await memory.patch(at("a"), { data: { host: "y", places: "1" } });
  await memory.create(configMap("b", { host: "x", places: "2" }));
  await memory.patch(at("pool"), { data: { bound: "4" } });
  await memory.create(configMap("c", { host: "z", places: "1" }));
  assert.deepEqual(await memory.store.counter("test pool"), { value: 4, max: 4 });
});

test("the first plugin that answers words the refusal, and the default remains", async () => {
  const late: AdmissionPlugin = {
    name: "late",
    refusal: () => new SetpointError("request.invalid", "late"),
  };
  await using memory = await opened([], late);
  await memory.create(configMap("pool", { bound: "3" }));
  await assert.rejects(memory.create(configMap("c", { places: "4" })), {
    code: "request.forbidden",
  });
  const second = memory.create(configMap("other", { bound: "3" }));
  await assert.rejects(second, { code: "request.invalid", message: "late" });
  await using plain = await opened([]);
  await plain.create(configMap("pool", { bound: "3" }));
  const unworded = plain.create(configMap("other", { bound: "3" }));
  await assert.rejects(unworded, (error) => isSetpointError(error, "name.taken"));
});
