// Hostile and unlucky clients at a real server: requests of any form are answered with an error
// object and never with a fault, and a watch that is cut again and again loses nothing.
import { deepEqual, equal, ok } from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import * as fc from "fast-check";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { waitUntil } from "../peers/wait.ts";
import { acme, globex, isError, startFleetServer, v1 } from "./fleet-server.ts";
import type { FleetServer } from "./fleet-server.ts";

let server: FleetServer;

before(async () => {
  server = await startFleetServer();
  await server.apply({
    apiVersion: "fleet.setpoint.dev/v1",
    kind: "Organisation",
    metadata: { name: acme },
    spec: {
      members: [{ user: "alice" }, { user: "bob" }],
      quotas: [{ offering: "dinosaurs", type: "standard", max: 1_000 }],
    },
  });
  await server.untilReady();
  await server.acceptTerms("alice", "bob");
  // The tests send many requests.
  const path = "/apis/fleet.setpoint.dev/v1/offerings/dinosaurs";
  const body = { spec: { api: { public: { requestsPerSecond: 10_000 } } } };
  const headers = { "content-type": "application/merge-patch+json" };
  equal((await server.setpoint.ask(path, { method: "PATCH", body, headers })).status, 200);
});

after(async () => {
  await server?.[Symbol.asyncDispose]();
});

describe("a request of any form", () => {
  const known = "dinosaurs admin agent-clusters terms errors cloud_providers status regions v1";
  const odd = "metrics query query_range aws .. . %2e%2e %00 %zz v2 __proto__ %F0%9F%A6%96";
  const words = `${known} ${odd}`.split(" ");
  const word = fc.constantFrom(...words, "", "x".repeat(300));
  const value = fc.oneof(
    fc.constantFrom("true", "-1", "0", "1e309", "NaN", "name asc", "' OR 1=1 --", "%", "🦖"),
    fc.string({ maxLength: 30 }),
  );
  const parameters =
    "page size orderBy search async watching duration interval filters gt_version at_least " +
    "instance_type __proto__";
  const name = fc.constantFrom(...parameters.split(" "));
  const body = fc.oneof(
    fc.constant(undefined),
    fc.json({ maxDepth: 4 }),
    fc.string({ maxLength: 50 }),
    fc.constantFrom('{"name":null}', '{"name":"rex","name":"rex"}', '{"__proto__":{}}', "[[[["),
  );
  const attack = fc.record({
    method: fc.constantFrom("GET", "POST", "PATCH", "PUT", "DELETE", "HEAD", "OPTIONS"),
    path: fc.array(word, { maxLength: 5 }),
    query: fc.array(fc.tuple(name, value), { maxLength: 4 }),
    body,
    as: fc.constantFrom("alice", "bob", "noorg", "reader", "root", "abc.def.ghi", undefined),
  });

  it("is answered without a fault, and a refusal is the error object", async () => {
    await fc.assert(
      fc.asyncProperty(attack, async ({ method, path: parts, query, body: sent, as }) => {
        const search = new URLSearchParams(query).toString();
        const path = `${v1}/${parts.join("/")}${search === "" ? "" : `?${search}`}`;
        const reply = await server.call(path, { method, as, body: sent });
        const isMissingBackend = reply.status === 503 && path.includes("metrics");
        ok(reply.status < 500 || isMissingBackend, `${method} ${path}: ${reply.text}`);
        if (reply.status < 400 || method === "HEAD") return;
        equal(reply.json["kind"], "Error", `${method} ${path}: ${reply.text}`);
        equal(reply.json["operation_id"], reply.headers["x-operation-id"]);
      }),
      { numRuns: 400 },
    );
    equal((await server.setpoint.ask("/readyz")).status, 200);
  });
});

describe("a watch that is cut again and again", () => {
  it("shows every change of every instance in order, and the end of the deleted ones", async () => {
    const names = Array.from({ length: 24 }, (_, at) => `churn-${at}`);
    const live = async (name: string, at: number): Promise<void> => {
      const { id } = await server.create("alice", { name });
      if (at % 3 !== 0) return;
      await server.call(`/dinosaurs/${id}?async=true`, { method: "DELETE", as: "alice" });
    };
    // They begin when the first watch is open: it would not show what was deleted before.
    let lives: readonly Promise<void>[] | undefined;
    const isComplete = (events: readonly JsonObject[]): boolean =>
      names.every((name, at) => {
        const type = at % 3 === 0 ? "DELETED" : "CHANGE";
        return events.some((each) => each["type"] === type && nameOf(each) === name);
      });
    const seen: JsonObject[] = [];
    let version = "";
    while (!isComplete(seen)) {
      const query = version === "" ? "?watch=true" : `?watch=true&gt_version=${version}`;
      using watch = await server.watch(`/dinosaurs${query}`, "bob");
      lives ??= names.map(live);
      const wanted = 1 + (seen.length % 7);
      await waitUntil("events", () => {
        return watch.events.length >= wanted || isComplete([...seen, ...watch.events]);
      });
      // What arrives after the cut is seen by the next watch.
      seen.push(...watch.events.slice(0, wanted));
      version = textAt(seen.at(-1), "resource_version");
    }
    await Promise.all(lives ?? []);
    const changes = seen.filter(({ type }) => type !== "BOOKMARK");
    const versions = changes.map((event) => Number(textAt(event, "resource_version")));
    const ordered = versions.toSorted((one, other) => one - other);
    deepEqual(versions, ordered);
    equal(new Set(versions).size, versions.length, "a change was shown twice");
    const { json } = await server.call("/dinosaurs?size=1000", { as: "bob" });
    const listed = objectsAt(json, "items").map((item) => textAt(item, "name"));
    deepEqual(
      listed.filter((name) => name.startsWith("churn-")),
      names.filter((_, at) => at % 3 !== 0).sort(),
    );
  });
});

describe("an organisation with the id of an earlier one", () => {
  it("sees nothing of the earlier one in a watch, whether old or resumed", async () => {
    const create = { method: "POST", as: "grace", body: { name: "earlier-plan" } };
    await server.acceptTerms("grace");
    const created = await server.call("/dinosaurs?async=true", create);
    equal(created.status, 202, created.text);
    const from = Number(created.headers["x-resource-version"]) - 1;
    using old = await server.watch("/dinosaurs?watch=true", "grace");
    await waitUntil("the first event", () => old.events.some((each) => nameOf(each) !== ""));
    const organisation = `/apis/fleet.setpoint.dev/v1/organisations/${globex}`;
    const instances = `/apis/dinosaurs.example.dev/v1/namespaces/org-${globex}/dinosaurs`;
    for (const path of [`${instances}/earlier-plan`, organisation]) {
      await server.setpoint.ask(path, { method: "DELETE" });
      await waitUntil(`the removal of ${path}`, async () => {
        return (await server.setpoint.ask(path)).status === 404;
      });
    }
    await server.acceptTerms("dora");
    const later = { method: "POST", as: "dora", body: { name: "later-plan" } };
    equal((await server.call("/dinosaurs?async=true", later)).status, 202);
    await waitUntil("the end of the old watch", () => old.state.isEnded);
    ok(!old.events.some((each) => nameOf(each) === "later-plan"), "the old watch sees the new one");
    const resumed = await server.call(`/dinosaurs?watch=true&gt_version=${from}`, { as: "dora" });
    isError(resumed, 410, 25);
    using watch = await server.watch("/dinosaurs?watch=true", "dora");
    await waitUntil("the new instance", () => watch.events.some((each) => nameOf(each) !== ""));
    ok(watch.events.every((each) => nameOf(each) !== "earlier-plan"));
  });
});

function nameOf(event: JsonObject): string {
  return textAt(event, "object", "name");
}
