// What the surface of a module receives, and that it shares it with the REST surface.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { BuiltInModule } from "../contract/module.ts";
import type { RoutePorts } from "../contract/route.ts";
import { systemCaller, systemOptions, targetFor } from "../intents/bootstrap.ts";
import { createResource } from "../intents/write/create.ts";
import { forbidden } from "../intents/refusals.ts";
import type { SurfacePorts } from "../surfaces/http/module-surface.ts";
import type { HttpSurface } from "../surfaces/http/surface.ts";
import { logger } from "../telemetry/log.ts";
import { openMemoryPlane } from "./memory-plane.ts";
import { openSurfaces } from "./open-surfaces.ts";
import { openRest } from "./rest-surface.ts";

it("the surface of a module has the ports of routes, and one read model serves both", async () => {
  const ofRoutes: RoutePorts[] = [];
  const ofSurface: SurfacePorts[] = [];
  const orchard: BuiltInModule = {
    name: "orchard",
    version: 1,
    open: async () => ({
      offered: "state",
      admission: [
        {
          name: "no-maps",
          validate: ({ target: { served, name } }) => {
            if (served.id === "configmaps") throw forbidden(served.kind, name, "a policy");
          },
        },
      ],
      routes: (ports) => {
        ofRoutes.push(ports);
        return [];
      },
    }),
  };
  const surface = {
    module: "orchard",
    open: async (ports: SurfacePorts): Promise<HttpSurface> => {
      ofSurface.push(ports);
      return { name: "orchard" } as HttpSurface;
    },
  };
  await using memory = await openMemoryPlane({ builtIn: [orchard] });
  const { plane, surroundings } = memory;
  const log = logger(() => undefined, surroundings.clock, "error");
  openRest({
    plane,
    reports: { onStreamError: () => undefined },
    readHealth: () => Promise.resolve([]),
    measure: () => Promise.resolve(),
    server: "test",
  });
  const [opened] = await openSurfaces({ plane, log, surfaces: [surface] });
  assert.equal(opened?.name, "orchard");
  const [routes, ports] = [ofRoutes[0], ofSurface[0]];
  assert.ok(routes !== undefined && ports !== undefined);
  assert.equal(ports.readModel, routes.readModel);
  assert.equal(ports.offered, "state");
  assert.equal(ports.clock, surroundings.clock);

  const body = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a", namespace: "default" },
  };
  const { target } = targetFor(ports.intents, body);
  const input = { caller: systemCaller, target, body, options: systemOptions, decodeProblems: [] };
  await assert.rejects(createResource(ports.intents, input), { code: "request.forbidden" });
  const { revision } = await createResource(ports.ownIntents, input);
  assert.equal(await ports.store.advancedBeyond(revision - 1, ports.stopping), revision);
  const found = await ports.readModel.open(target.served, { atLeast: revision });
  assert.ok(found.source === "memory" && found.revision >= revision);
  assert.ok(ports.feed.position >= revision);
});
