// A service that tells of changes by a WebSocket, over TLS and to those alone who may ask: what it
// tells of is looked at, and after a time without it everything is. Nothing is polled here: the
// next look without an event would come in a day.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { openAuthority } from "../../src/app/tls/authority.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { systemRandom } from "../../src/kernel/random.ts";
import { serveEvents } from "../peers/event-server.ts";
import type { EventServer } from "../peers/event-server.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint } from "../peers/setpoint.ts";
import { startThings } from "../peers/things.ts";
import type { Things } from "../peers/things.ts";
import { waitUntil } from "../peers/wait.ts";
import { applyDocument, Resources } from "./rig.ts";
import type { Managed } from "./rig.ts";
import { thingBinding, thingKind, things, thingsConnection } from "./things-kinds.ts";

let folder = "";
let server: Setpoint;
let service: Things;
let events: EventServer;
const resources = new Resources(() => server, things);

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "setpoint-events-"));
  const authority = openAuthority({ folder, clock: systemClock, random: systemRandom });
  const { keyPem: key, certificatePem: certificate } = authority.serverCertificate(["127.0.0.1"]);
  service = await startThings({ key, certificate });
  events = serveEvents(service.server, "/events");
  server = await startSetpoint();
  await applyDocument(server, {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "things", namespace: "default" },
    stringData: { token: "let me in" },
  });
  const connection = thingsConnection("things", {
    baseUrl: service.url,
    auth: { kind: "bearer", secret: "things" },
    tls: { ca: authority.certificatePem },
    events: { id: "/about/thing", websocket: "/events" },
  });
  for (const each of [thingKind, thingBinding, connection]) await applyDocument(server, each);
});
after(async () => {
  for (const each of [server, service]) await each?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const followed = async (status: "True" | "False"): Promise<void> => {
  const path = "/apis/connect.setpoint.dev/v1/connections/things";
  await waitUntil(`EventsFollowed to be ${status}`, async () => {
    const { status: told } = JSON.parse((await server.ask(path)).body.toString()) as Managed;
    return told?.conditions?.find(({ type }) => type === "EventsFollowed")?.status === status;
  });
};
const repaint = (name: string): void => void service.objects.set(name, { name, color: "green" });
const isRed = (name: string): boolean => service.objects.get(name)?.["color"] === "red";

it("is followed with the credentials of the Connection, and heard", async () => {
  await followed("True");
  assert.equal(events.asked.at(-1)?.authorization, "Bearer let me in");
  for (const name of ["one", "two"]) {
    await resources.create(name, { color: "red" });
    await resources.ready(name);
  }
  repaint("one");
  repaint("two");
  events.tell({ about: { thing: "unknown" } });
  events.tell({ about: { thing: `${service.url}/things/one` } });
  await waitUntil("one to be put right", () => isRed("one"));
  await resources.ready("one");
  events.tell([{ about: { thing: "two" } }, { about: { thing: "two" } }]);
  await waitUntil("two to be put right", () => isRed("two"));
});

it("is followed again after it was cut, and everything is looked at then", async () => {
  await resources.ready("two");
  events.isOpen = false;
  events.cut();
  await followed("False");
  repaint("one");
  repaint("two");
  events.isOpen = true;
  await waitUntil("both to be put right", () => isRed("one") && isRed("two"));
  await followed("True");
  assert.equal(events.listeners(), 1);
});

it("is let go of when the Connection no longer names it", async () => {
  const path = "/apis/connect.setpoint.dev/v1/connections/things";
  const headers = { "content-type": "application/merge-patch+json" };
  const body = { spec: { events: { websocket: null } } };
  assert.equal((await server.ask(path, { method: "PATCH", body, headers })).status, 200);
  await waitUntil("nobody to listen", () => events.listeners() === 0);
});
