// Quotas on numbers of objects: exact for what is created under them, right about what is older,
// and told in the words of kube-apiserver.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { limits } from "../../src/kernel/limits.ts";
import { waitUntil } from "../peers/wait.ts";
import { pick, startKubeServer } from "./server.ts";
import type { KubeServer, Reply } from "./server.ts";

let server: KubeServer;

before(async () => {
  server = await startKubeServer();
});

after(async () => {
  await server.stop();
});

class Place {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  static async open(name: string): Promise<Place> {
    const place = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
    assert.equal((await server.request("POST", "/api/v1/namespaces", place)).status, 201);
    return new Place(name);
  }

  at(resource: string): string {
    return `/api/v1/namespaces/${this.name}/${resource}`;
  }

  map(name: string, query = ""): Promise<Reply> {
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name } };
    return server.request("POST", this.at("configmaps") + query, body);
  }

  quota(name: string, hard: object): Promise<Reply> {
    const body = { apiVersion: "v1", kind: "ResourceQuota", metadata: { name }, spec: { hard } };
    return server.request("POST", this.at("resourcequotas"), body);
  }

  async used(quota: string, resource: string): Promise<unknown> {
    const { json } = await server.request("GET", this.at(`resourcequotas/${quota}`));
    const status = pick(json, "status.used");
    return (status as Readonly<Record<string, unknown>> | undefined)?.[resource];
  }
}

const message = ({ json }: Reply): unknown => pick(json, "message");

describe("quotas", () => {
  it("count as many resources as they may name, also if objects of all exist", async () => {
    const place = await Place.open("many-resources");
    await place.map("a");
    const names = Array.from({ length: limits.maxQuotaResources - 2 }, (_, at) => `count/r${at}`);
    const hard = Object.fromEntries(names.map((name) => [name, "5"]));
    const made = await place.quota("q", { ...hard, configmaps: "2", "count/configmaps": "2" });
    assert.equal(made.status, 201, String(message(made)));
    assert.equal((await place.map("b")).status, 201);
    assert.equal((await place.map("c")).status, 403);
    const refused = await place.quota("larger", {
      ...hard,
      "count/x": "1",
      "count/y": "1",
      c: "1",
    });
    assert.equal(refused.status, 422);
    assert.match(
      String(message(refused)),
      /spec\.hard: Too many: 129: must have at most 128 items/,
    );
  });

  it("refuse what goes beyond them, and count what was there before", async () => {
    const place = await Place.open("older");
    await place.map("a");
    await place.map("b");
    await place.quota("q", { "count/configmaps": "3" });
    assert.equal((await place.map("c")).status, 201);
    const reply = await place.map("d");
    assert.equal(reply.status, 403);
    const what = "count/configmaps";
    const why = `requested: ${what}=1, used: ${what}=3, limited: ${what}=3`;
    assert.equal(message(reply), `configmaps "d" is forbidden: exceeded quota: q, ${why}`);
    assert.equal((await place.map("d", "?dryRun=All")).status, 403);
  });

  it("have the place again when an object is deleted", async () => {
    const place = await Place.open("deleted");
    await place.map("older");
    await place.quota("q", { configmaps: "2" });
    await place.map("own");
    assert.equal((await place.map("more")).status, 403);
    await server.request("DELETE", place.at("configmaps/own"));
    assert.equal((await place.map("more")).status, 201);
    await server.request("DELETE", place.at("configmaps/older"));
    const isFree = async (): Promise<boolean> => (await place.map("last")).status === 201;
    await waitUntil("the place of an older object", isFree);
    assert.equal((await place.map("beyond")).status, 403);
  });

  it("keep their status up to date", async () => {
    const place = await Place.open("status");
    await place.quota("q", { "count/configmaps": "5", pods: "1" });
    await place.map("a");
    await place.map("b");
    const isCounted = async (): Promise<boolean> =>
      (await place.used("q", "count/configmaps")) === "2";
    await waitUntil("the status to count", isCounted);
    assert.equal(await place.used("q", "pods"), "0");
    const { json } = await server.request("GET", place.at("resourcequotas/q"));
    assert.deepEqual(pick(json, "status.hard"), { "count/configmaps": "5", pods: "1" });
  });

  it("may be several; the lowest counts and is named", async () => {
    const place = await Place.open("several");
    await place.quota("wide", { "count/configmaps": "5" });
    await place.quota("narrow", { configmaps: "1" });
    await place.map("a");
    const text = String(message(await place.map("b")));
    assert.match(text, /exceeded quota: narrow, requested: configmaps=1, used: configmaps=1/);
    await server.request("DELETE", place.at("resourcequotas/narrow"));
    assert.equal((await place.map("b")).status, 201);
  });

  it("are full when there is more than they allow, and say how much", async () => {
    const place = await Place.open("full");
    for (const name of ["a", "b", "c"]) await place.map(name);
    await place.quota("q", { configmaps: "1" });
    const isCounted = async (): Promise<boolean> => (await place.used("q", "configmaps")) === "3";
    await waitUntil("the status to count", isCounted);
    assert.match(
      String(message(await place.map("d"))),
      /used: configmaps=3, limited: configmaps=1$/,
    );
  });

  it("may be raised and lowered", async () => {
    const place = await Place.open("raised");
    await place.quota("q", { configmaps: "1" });
    await place.map("a");
    assert.equal((await place.map("b")).status, 403);
    const patch = (hard: string): Promise<Reply> =>
      server.request("PATCH", place.at("resourcequotas/q"), {
        spec: { hard: { configmaps: hard } },
      });
    await patch("2");
    assert.equal((await place.map("b")).status, 201);
    await patch("0");
    await server.request("DELETE", place.at("configmaps/b"));
    assert.equal((await place.map("b")).status, 403);
  });

  it("let exactly as many in as there are places, however many ask at once", async () => {
    const place = await Place.open("crowd");
    await place.quota("q", { secrets: "7" });
    const secret = (name: string): Promise<Reply> =>
      server.request("POST", place.at("secrets"), {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name },
      });
    const replies = await Promise.all(Array.from({ length: 40 }, (_, i) => secret(`s-${i}`)));
    assert.equal(replies.filter(({ status }) => status === 201).length, 7);
  });
});
