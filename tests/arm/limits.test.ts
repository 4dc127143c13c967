// Pages, sizes and ids at their limits, through the Resource Manager surface of a real server.
import assert from "node:assert/strict";
import { before, it } from "node:test";
import { pick, pickList, pickText } from "../kube/server.ts";
import type { Reply } from "../kube/server.ts";
import { waitUntil } from "../peers/wait.ts";
import {
  codeOf,
  onEachStore,
  oven,
  ovens,
  startArmServer,
  subscription,
  version,
} from "./arm-server.ts";
import type { ArmServer } from "./arm-server.ts";

/** What the Resource Manager takes. */
const maxAnswerBytes = 8_000_000;

let server: ArmServer;

/** As a client lists: until there is no nextLink any more, whatever is on a page. */
async function pagesOf(path: string): Promise<readonly Reply[]> {
  const pages: Reply[] = [];
  let next: string | undefined = path;
  while (next !== undefined) {
    const page: Reply = await server.request("GET", next);
    assert.equal(page.status, 200, page.text);
    pages.push(page);
    const link: unknown = pick(page.json, "nextLink");
    next = typeof link === "string" ? link.slice(server.url.length) : undefined;
  }
  return pages;
}

function namesIn(pages: readonly Reply[]): readonly string[] {
  return pages.flatMap(({ json }) => pickList(json, "value")).map((each) => pickText(each, "name"));
}

onEachStore("the limits", (started) => {
  before(() => {
    server = started();
  });

  it("of a quota are told as such, and not as a matter of roles", async () => {
    const other = "45454545-2222-3333-4444-555555555555";
    const state = { state: "Registered" };
    await server.request("PUT", `/subscriptions/${other}?api-version=2.0`, state);
    const quota = {
      apiVersion: "v1",
      kind: "ResourceQuota",
      metadata: { name: "q" },
      spec: { hard: { "count/ovens.bakery.tests.dev": "1" } },
    };
    const quotas = `/api/v1/namespaces/sub-${other}/resourcequotas`;
    assert.equal((await server.request("POST", quotas, quota)).status, 201);
    await waitUntil("the quota to be counted", async () => {
      const { json } = await server.request("GET", `${quotas}/q`);
      return pick(json, "status.hard") !== undefined;
    });
    const place = ovens.replace(subscription, other);
    const body = { location: "eastus", properties: {} };
    assert.equal((await server.request("PUT", `${place}/one?${version}`, body)).status, 201);
    const full = await server.request("PUT", `${place}/two?${version}`, body);
    assert.equal(full.status, 409, full.text);
    assert.equal(codeOf(full), "QuotaExceeded");
  });

  it("of numbers and of nesting are told in plain words", async () => {
    const huge = await server.request("PUT", oven("huge"), '{"properties":{"size":1e400}}', {
      "content-type": "application/json",
    });
    assert.equal(huge.status, 400, huge.text);
    assert.match(pickText(huge.json, "error.message"), /: the number 1e400 is too large\.$/);
  });

  it("let a client pass over empty pages to the end of a list", async () => {
    const other = "44444444-2222-3333-4444-555555555555";
    const state = { state: "Registered" };
    await server.request("PUT", `/subscriptions/${other}?api-version=2.0`, state);
    const place = ovens.replace(subscription, other);
    const body = { location: "eastus", properties: {} };
    const made = await server.request("PUT", `${place}/zebra?${version}`, body);
    assert.equal(made.status, 201, made.text);
    // Of the same kind and in the same namespace, but made by other means: nothing to show here.
    const kube = `/apis/bakery.tests.dev/v1/namespaces/sub-${other}/ovens`;
    for (const name of ["a1", "a2", "a3", "a4"]) {
      const foreign = { kind: "Oven", metadata: { name }, spec: {} };
      const reply = await server.request("POST", kube, {
        apiVersion: "bakery.tests.dev/v1",
        ...foreign,
      });
      assert.equal(reply.status, 201, reply.text);
    }
    const all = `/subscriptions/${other}/providers/Example.Bakery/ovens?${version}&$top=2`;
    const pages = await pagesOf(all);
    const counts = pages.map(({ json }) => pickList(json, "value").length);
    assert.deepEqual(counts, [0, 0, 1]);
    assert.deepEqual(namesIn(pages), ["zebra"]);
  });

  it("end a page before an answer is too large, and lose nothing", async () => {
    const names = Array.from({ length: 10 }, (_, index) => `big${index}`);
    const big = ovens.replace("Bread", "Big");
    // Three bytes for each character.
    const properties = { doors: { left: "\u20ac".repeat(330_000) } };
    for (const name of names) {
      const body = { location: "eastus", properties };
      const made = await server.request("PUT", `${big}/${name}?${version}`, body);
      assert.equal(made.status, 201, made.text.slice(0, 400));
    }
    const pages = await pagesOf(`${big}?${version}`);
    // Each is of a megabyte, and half of what is taken is left for one that is larger.
    assert.deepEqual(
      pages.map(({ json }) => pickList(json, "value").length),
      [4, 4, 2],
    );
    for (const { bytes } of pages) assert.ok(bytes.length <= maxAnswerBytes / 2 + 1_000);
    assert.deepEqual([...namesIn(pages)].sort(), names);
  });

  it("let a refusal of very much fit into an answer", async () => {
    const tags = Object.fromEntries(
      Array.from({ length: 80_000 }, (_, at): [string, number] => [at.toString(36), 1]),
    );
    const reply = await server.put("tagged", {}, { tags });
    assert.equal(reply.status, 400, reply.text.slice(0, 400));
    assert.equal(pickList(reply.json, "error.details").length, 100);
    assert.match(pickText(reply.json, "error.message"), / And \d+ more\.$/);
  });

  it("do not make keys of the ids that clients send", async () => {
    const headers = {
      "x-ms-client-request-id": "always-the-same",
      "x-ms-correlation-request-id": "0f8fad5b-d9cb-469f-a165-70867728950e",
    };
    for (const [name, size] of [
      ["first", 1],
      ["second", 2],
      ["first", 3],
    ] as const) {
      const reply = await server.put(name, { size }, {}, headers);
      assert.ok(reply.status === 201 || reply.status === 200, reply.text);
      await server.settled(name);
    }
    assert.equal(pick((await server.get("first")).json, "properties.size"), 3);
    assert.equal(pick((await server.get("second")).json, "properties.size"), 2);
  });

  it("are none for languages: answers are in English, whatever is accepted", async () => {
    await server.made("polyglot");
    for (const language of ["de", "fr-FR;q=0.9, *;q=0", "nonsense;;;", ""]) {
      const headers = { "accept-language": language };
      const found = await server.get("polyglot", headers);
      assert.equal(found.status, 200, found.text);
      assert.equal(found.headers["content-language"], "en");
      const missing = await server.request("GET", oven("nobody"), undefined, headers);
      assert.equal(missing.status, 404);
      assert.equal(missing.headers["content-language"], "en");
    }
  });
});

it("an action that says more than fits is a mistake of ours, which is in the log", async () => {
  await using own = await startArmServer();
  await own.made("chatty");
  const path = `${ovens}/chatty/recite?${version}`;
  const reply = await own.request("POST", path, { characters: maxAnswerBytes });
  assert.equal(reply.status, 500, reply.text.slice(0, 400));
  assert.equal(codeOf(reply), "InternalServerError");
  assert.equal((await own.request("POST", path, { characters: 1_000 })).status, 200);
  assert.equal(own.errors.length, 1);
  assert.match(own.errors[0] ?? "", /^request failed: Error: an answer of 8000011 characters/);
});

it("an action that answers no object is a mistake of ours, which is in the log", async () => {
  await using own = await startArmServer();
  await own.made("listed");
  const reply = await own.request("POST", `${ovens}/listed/enumerate?${version}`);
  assert.equal(reply.status, 500, reply.text);
  assert.equal(codeOf(reply), "InternalServerError");
  assert.equal(own.errors.length, 1);
  assert.match(own.errors[0] ?? "", /the action enumerate must return an object or undefined/);
});
