// A client that gets no answer sends its request again, under the same client request id: it gets
// the answer that the first one got, also where a condition would not be met any more. What differs
// in anything is another request.
import assert from "node:assert/strict";
import { before, it } from "node:test";
import { pick } from "../kube/server.ts";
import type { Reply } from "../kube/server.ts";
import { codeOf, onEachStore, subscription, version } from "./arm-server.ts";
import type { ArmServer } from "./arm-server.ts";
import { goneAt, jarIn, madeAt, patience, read, settledAt, storedOf, write } from "./pantry.ts";
import { waitUntil } from "../peers/wait.ts";

let server: ArmServer;

function named(client: string, more: object = {}): Readonly<Record<string, string>> {
  return { "x-ms-client-request-id": client, ...more };
}

function isSameAnswer(first: Reply, again: Reply): void {
  assert.equal(again.status, first.status, again.text);
  for (const header of ["azure-asyncoperation", "location"]) {
    assert.equal(again.headers[header], first.headers[header], header);
  }
}

/** The engine may write in between, so the condition is taken anew until it is met. */
async function withEtag(
  id: string,
  send: (etag: string) => Promise<Reply>,
): Promise<readonly [string, Reply]> {
  return await waitUntil(
    "the condition to be met",
    async () => {
      const etag = String((await read(server, id)).headers.etag);
      const reply = await send(etag);
      return reply.status !== 412 && ([etag, reply] as const);
    },
    patience,
  );
}

async function letGo(id: string): Promise<void> {
  const name = pick(await storedOf(server, "jars", id), "metadata.name");
  const path = `/apis/pantry.tests.dev/v1/namespaces/sub-${subscription}/jars/${String(name)}`;
  const metadata = { annotations: { "tests.dev/go": "true" } };
  assert.equal((await server.request("PATCH", path, { metadata })).status, 200);
}

onEachStore(
  "a request that is repeated",
  (started) => {
    before(() => {
      server = started();
    });

    it("creates once, be it under way, ended or under a condition", async () => {
      const id = jarIn("Cellar", "once");
      const headers = named("create-once", { "if-none-match": "*" });
      const first = await write(server, id, { size: 1, mode: "held" }, headers);
      assert.equal(first.status, 201, first.text);
      isSameAnswer(first, await write(server, id, { size: 1, mode: "held" }, headers));
      // The order of fields is no content.
      isSameAnswer(first, await write(server, id, { mode: "held", size: 1 }, headers));
      await letGo(id);
      await settledAt(server, id);
      const again = await write(server, id, { size: 1, mode: "held" }, headers);
      isSameAnswer(first, again);
      assert.equal(pick(again.json, "properties.provisioningState"), "Succeeded");
      assert.ok(again.headers["azure-asyncoperation"] !== undefined);
    });

    it("with another body, id or method is another request", async () => {
      const id = jarIn("Cellar", "others");
      const headers = named("others", { "if-none-match": "*" });
      assert.equal((await write(server, id, { size: 1 }, headers)).status, 201);
      await settledAt(server, id);
      const body = await write(server, id, { size: 2 }, headers);
      assert.equal(codeOf(body), "PreconditionFailed", body.text);
      const client = named("another", { "if-none-match": "*" });
      assert.equal((await write(server, id, { size: 1 }, client)).status, 412);
      const bare = await write(server, id, { size: 1 }, { "if-none-match": "*" });
      assert.equal(bare.status, 412);
      const patch = await server.request(
        "PATCH",
        `${id}?${version}`,
        { location: "westeurope", properties: { size: 1 } },
        named("others", { "if-none-match": "*", "content-type": "application/json" }),
      );
      assert.equal(patch.status, 412, patch.text);
      assert.equal(pick((await read(server, id)).json, "properties.size"), 1);
    });

    it("changes once, and counts anew when something else was accepted in between", async () => {
      const id = jarIn("Cellar", "changed");
      await madeAt(server, id, { size: 1 });
      const [etag, first] = await withEtag(id, (match) =>
        write(server, id, { size: 2 }, named("change-once", { "if-match": match })),
      );
      const headers = named("change-once", { "if-match": etag });
      assert.equal(first.status, 200, first.text);
      isSameAnswer(first, await write(server, id, { size: 2 }, headers));
      await settledAt(server, id);
      isSameAnswer(first, await write(server, id, { size: 2 }, headers));
      assert.equal((await write(server, id, { size: 3 }, named("change-once"))).status, 200);
      await settledAt(server, id);
      assert.equal((await write(server, id, { size: 2 }, headers)).status, 412);
      const last = await write(server, id, { size: 2 }, named("change-once"));
      assert.equal(last.status, 200, last.text);
      assert.equal(pick((await settledAt(server, id)).json, "properties.size"), 2);
    });

    it("patches once, with work to follow and without", async () => {
      const id = jarIn("Cellar", "patched");
      await madeAt(server, id, { size: 1 });
      for (const body of [{ properties: { size: 5 } }, { tags: { a: "b" } }]) {
        const patch = (match: string): Promise<Reply> => {
          const json = { "content-type": "application/json", "if-match": match };
          const headers = named(Object.keys(body).join(""), json);
          return server.request("PATCH", `${id}?${version}`, body, headers);
        };
        const [etag, first] = await withEtag(id, patch);
        assert.equal(first.status, Object.hasOwn(body, "tags") ? 200 : 202, first.text);
        await settledAt(server, id);
        isSameAnswer(first, await patch(etag));
      }
    });

    it("deletes once, and finds nothing once that has ended", async () => {
      const id = jarIn("Cellar", "deleted");
      await madeAt(server, id);
      const finalizers = ["tests.dev/hold"];
      const { metadata } = (await storedOf(server, "jars", id)) as {
        readonly metadata: { readonly name: string; readonly finalizers: readonly string[] };
      };
      const path = `/apis/pantry.tests.dev/v1/namespaces/sub-${subscription}/jars/${metadata.name}`;
      const held = { metadata: { finalizers: [...metadata.finalizers, ...finalizers] } };
      assert.equal((await server.request("PATCH", path, held)).status, 200);
      const remove = (match: string): Promise<Reply> => {
        const headers = named("delete-once", { "if-match": match });
        return server.request("DELETE", `${id}?${version}`, undefined, headers);
      };
      const [etag, first] = await withEtag(id, remove);
      assert.equal(first.status, 202, first.text);
      isSameAnswer(first, await remove(etag));
      const other = named("another", { "if-match": etag });
      const stranger = await server.request("DELETE", `${id}?${version}`, undefined, other);
      assert.equal(stranger.status, 412, stranger.text);
      const open = [{ op: "replace", path: "/metadata/finalizers", value: [] }];
      const json = { "content-type": "application/json-patch+json" };
      assert.equal((await server.request("PATCH", path, open, json)).status, 200);
      await goneAt(server, id);
      assert.equal((await remove(etag)).status, 204);
    });

    it("that failed tells of the same failure", async () => {
      const id = jarIn("Cellar", "cracked");
      const first = await write(server, id, { mode: "broken" }, named("fail-once"));
      assert.equal(first.status, 201, first.text);
      await settledAt(server, id, "Failed");
      isSameAnswer(first, await write(server, id, { mode: "broken" }, named("fail-once")));
      const anew = await write(server, id, { mode: "broken" }, named("fail-again"));
      assert.equal(codeOf(anew), "RequestNotAllowed", anew.text);
    });

    it("that failed to change a resource is tried anew", async () => {
      const id = jarIn("Cellar", "retried");
      await madeAt(server, id, { size: 1 });
      const send = (): Promise<Reply> => write(server, id, { mode: "broken" }, named("constant"));
      const first = await send();
      assert.equal(first.status, 200, first.text);
      await settledAt(server, id, "Failed");
      const second = await send();
      assert.equal(second.status, 200, second.text);
      const urls = [first, second].map(({ headers }) => headers["azure-asyncoperation"]);
      assert.ok(urls.every((url) => typeof url === "string"));
      assert.notEqual(urls[0], urls[1]);
      await settledAt(server, id, "Failed");
    });

    it("shows nobody the digest of what was sent", async () => {
      const id = jarIn("Cellar", "hidden");
      const made = await write(server, id, { code: "1234" }, named("hidden-digest"));
      const url = String(made.headers["azure-asyncoperation"]);
      const operation = /operationsStatus\/([0-9a-f-]{36})/.exec(url)?.[1] ?? "";
      const path = `/apis/arm.setpoint.dev/v1/namespaces/sub-${subscription}/operations`;
      const { json } = await server.request("GET", `${path}/${operation}`);
      assert.equal(pick(json, "spec.clientRequestId"), "hidden-digest");
      assert.equal(pick(json, "spec.replay"), undefined);
    });
  },
  ["pantry"],
);
