// Metrics of one instance from a real Prometheus, which scrapes an exporter of this test.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { objectAt, objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { startPrometheus } from "../peers/prometheus.ts";
import type { Service } from "../peers/service.ts";
import { waitUntil } from "../peers/wait.ts";
import { acme, isError, startFleetServer } from "./fleet-server.ts";
import type { FleetServer, Reply } from "./fleet-server.ts";

let server: FleetServer;
let exporter: Server;
let prometheus: Service;
let [id, other] = ["", ""];

before(async () => {
  exporter = createServer((_request, response) => {
    const line = (of: string, value: number): string =>
      `dinosaur_mood{instance_id="${of}",species="rex",node="internal-7"} ${value}\n`;
    response.end(`${line(id, 42)}${line(other, 7)}`);
  });
  exporter.listen(0, "127.0.0.1");
  await once(exporter, "listening");
  const { port } = exporter.address() as AddressInfo;
  prometheus = await startPrometheus(`127.0.0.1:${port}`);
  server = await startFleetServer({
    offering: {
      metrics: {
        prometheus: { url: prometheus.url },
        queries: [
          { name: "mood", query: 'dinosaur_mood{instance_id="${id}"}' },
          { name: "scraped", query: 'count(dinosaur_mood{instance_id="${id}"})' },
        ],
        labels: ["species"],
      },
    },
  });
  await server.apply({
    apiVersion: "fleet.setpoint.dev/v1",
    kind: "Organisation",
    metadata: { name: acme },
    spec: {
      members: [{ user: "alice" }],
      quotas: [{ offering: "dinosaurs", type: "standard", max: 5 }],
    },
  });
  await server.untilReady();
  await server.acceptTerms("alice", "grace");
  id = textAt(await server.create("alice", { name: "rex" }), "id");
  other = textAt(await server.create("grace", { name: "rex" }), "id");
});

after(async () => {
  await server?.[Symbol.asyncDispose]();
  await prometheus?.[Symbol.asyncDispose]();
  exporter?.close();
});

const metrics = async (path: string, as = "alice"): Promise<Reply> =>
  await server.call(`/dinosaurs/${id}/metrics/${path}`, { as });

/** How many requests to Prometheus the server has counted; code 0: there was no answer. */
async function requests(path: string, code: string): Promise<number> {
  const { body } = await server.setpoint.ask("/metrics");
  const labels = `offering="dinosaurs",code="${code}",method="GET",path="${path}"`;
  const series = `fleet_manager_observatorium_request_count{${labels}} `;
  const line = String(body)
    .split("\n")
    .find((each) => each.startsWith(series));
  ok(line !== undefined, series);
  return Number(line.slice(series.length));
}

describe("the metrics of an instance", () => {
  it("are its present values, with the labels of the Offering alone", async () => {
    const reply = await waitUntil("a scrape", async () => {
      const answer = await metrics("query");
      equal(answer.status, 200, answer.text);
      return objectsAt(answer.json, "items").length === 2 ? answer : undefined;
    });
    equal(reply.json["kind"], "MetricsInstantQueryList");
    equal(reply.json["id"], id);
    const [mood] = objectsAt(reply.json, "items");
    deepEqual(mood?.["metric"], { __name__: "mood", species: "rex" });
    equal(mood?.["value"], 42);
    ok(Math.abs(Number(mood?.["timestamp"]) - Date.now()) < 600_000);
  });

  it("can be selected by name", async () => {
    const reply = await metrics("query?filters=scraped");
    deepEqual(
      objectsAt(reply.json, "items").map((item) => objectAt(item, "metric")),
      [{ __name__: "scraped" }],
    );
    isError(await metrics("query?filters=scraped&filters=secret"), 400, 21);
  });

  it("are series in a range", async () => {
    const reply = await metrics("query_range?duration=5&interval=1&filters=mood");
    equal(reply.status, 200, reply.text);
    equal(reply.json["kind"], "MetricsRangeQueryList");
    const [series] = objectsAt(reply.json, "items");
    const values = objectsAt(series, "values");
    ok(values.length > 0);
    ok(values.every(({ value }) => value === 42));
    equal(await requests("query_range", "200"), 1);
    equal(await requests("query_range", "0"), 0);
  });

  it("can be scraped by the Prometheus of the customer", async () => {
    const reply = await metrics("federate");
    equal(reply.status, 200, reply.text);
    match(String(reply.headers["content-type"]), /^text\/plain; version=0\.0\.4/);
    match(reply.text, /^# TYPE mood untyped\nmood\{species="rex"\} 42 \d+\n/);
  });

  it("are not those of another organisation", async () => {
    isError(await metrics("query", "grace"), 404, 7);
    isError(await metrics("federate", "grace"), 404, 7);
  });

  it("are refused with a clear error while Prometheus is down, without its address", async () => {
    await prometheus.stop();
    const reply = await metrics("query");
    isError(reply, 503, 9);
    const reason = textAt(reply.json, "reason");
    match(reason, /Prometheus did not answer/);
    ok(!reason.includes(prometheus.url) && !reason.includes("127.0.0.1"));
    ok((await requests("query", "0")) > 0);
  });
});
