// A server serves the Resource Manager only when its configuration or a face asks for it. A server
// that does not still protects what other servers of the same store have written.
import assert from "node:assert/strict";
import { it } from "node:test";
import { openSurfaces } from "../../src/app/open-surfaces.ts";
import { installKind } from "../../src/intents/install-kind.ts";
import { annotations } from "../../src/kernel/annotations.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { subscriptionsKind } from "../../src/modules/resource-provider/arm-kinds.ts";
import { envelopeAnnotation, subscriptionKind } from "../../src/modules/resource-provider/face.ts";
import { logger } from "../../src/telemetry/log.ts";
import { openMemoryProvider } from "./memory-provider.ts";
import type { MemoryProvider } from "./memory-provider.ts";

async function isServed({ memory: { plane, surroundings } }: MemoryProvider): Promise<boolean> {
  const log = logger(() => undefined, surroundings.clock, "error");
  return (await openSurfaces({ plane, log })).some(({ name }) => name === "arm");
}

function configMap(name: string, notes: JsonObject): JsonObject {
  const metadata = { name, namespace: "default", annotations: notes };
  return { apiVersion: "v1", kind: "ConfigMap", metadata };
}

it("a server without a face and without the section serves none of it", async () => {
  await using own = await openMemoryProvider([], [], {});
  assert.equal(own.memory.plane.intents.kinds.byId(subscriptionKind), undefined);
  assert.equal(await isServed(own), false);
});

it("such a server still refuses to write the envelope of a resource", async () => {
  await using own = await openMemoryProvider([], [], {});
  const made = await own.memory.create(configMap("one", { [envelopeAnnotation]: "{}", a: "b" }));
  assert.deepEqual(made.metadata.annotations, { a: "b" });
});

it("the section in the configuration is enough", async () => {
  await using own = await openMemoryProvider([], [], { arm: {} });
  assert.ok(own.memory.plane.intents.kinds.byId(subscriptionKind) !== undefined);
  assert.equal(await isServed(own), true);
});

it("definitions of an older server keep their owner", async () => {
  await using old = await openMemoryProvider([], [], {});
  const { intents } = old.memory.plane;
  await installKind(intents, subscriptionsKind, { name: "setpoint-arm", version: 1 });
  const place = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    name: subscriptionKind,
  };
  await using own = await openMemoryProvider();
  const [before, after] = await Promise.all([old, own].map(({ memory }) => memory.read(place)));
  const ownerOf = (resource: typeof before): string | undefined =>
    resource?.metadata.annotations?.[annotations.module];
  assert.equal(ownerOf(after), ownerOf(before));
});
