// Whatever is created while its namespace goes away does not outlive it: writers create without a
// pause while namespaces are deleted under them, and nothing may be left in the end. And nobody
// reaches through one namespace what is in another.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { waitUntil } from "../peers/wait.ts";
import { pickList, startKubeServer } from "./server.ts";
import type { KubeServer } from "./server.ts";

let server: KubeServer;

before(async () => {
  server = await startKubeServer();
});
after(() => server.stop());

const namespaces = "/api/v1/namespaces";

async function makeNamespace(name: string): Promise<void> {
  const reply = await server.request("POST", namespaces, { metadata: { name } });
  assert.equal(reply.status, 201, reply.text);
}

describe("a namespace that goes", () => {
  it("takes along what is created at the same time", async () => {
    for (let round = 0; round < 6; round++) {
      const name = `going-${round}`;
      await makeNamespace(name);
      const gone = new AbortController();
      const write = async (writer: number): Promise<void> => {
        for (let i = 0; !gone.signal.aborted && i < 400; i++) {
          const object = { metadata: { name: `c-${writer}-${i}` } };
          const reply = await server.request("POST", `${namespaces}/${name}/configmaps`, object);
          assert.ok([201, 403, 404].includes(reply.status), reply.text);
        }
      };
      const writers = Array.from({ length: 6 }, (_, writer) => write(writer));
      assert.equal((await server.request("DELETE", `${namespaces}/${name}`)).status, 200);
      await waitUntil("the namespace is gone", async () => {
        return (await server.request("GET", `${namespaces}/${name}`)).status === 404;
      });
      gone.abort();
      await Promise.all(writers);
      const left = await server.store.list({ kind: "configmaps", namespace: name });
      assert.deepEqual(
        left.records.map(({ key }) => key.name),
        [],
      );
    }
  });
});

describe("a path through a namespace", () => {
  it("leads to nothing that is outside of namespaces", async () => {
    await makeNamespace("inner");
    await makeNamespace("other");
    for (const path of ["", "/other", "/other/status"]) {
      const reply = await server.request("GET", `${namespaces}/inner/namespaces${path}`);
      assert.equal(reply.status, 404, path);
    }
    const review = "/apis/authorization.k8s.io/v1/namespaces/inner/subjectaccessreviews";
    const spec = { user: "a", nonResourceAttributes: { verb: "get", path: "/" } };
    assert.equal((await server.request("POST", review, { spec })).status, 404);
    const tokens = "/apis/authentication.k8s.io/v1/namespaces/inner/tokenreviews";
    assert.equal((await server.request("POST", tokens, { spec: { token: "x" } })).status, 404);
  });

  it("shows nothing of another namespace, whatever the selector says", async () => {
    await makeNamespace("mine");
    await makeNamespace("yours");
    const query = "watch=1&resourceVersion=0&fieldSelector=metadata.namespace%3Dyours";
    const theirs = await server.watch(`${namespaces}/yours/configmaps?watch=1&resourceVersion=0`);
    const crossed = await server.watch(`${namespaces}/mine/configmaps?${query}`);
    const created = await server.request("POST", `${namespaces}/yours/configmaps`, {
      metadata: { name: "private" },
    });
    assert.equal(created.status, 201);
    assert.equal((await theirs.next())?.type, "ADDED");
    assert.deepEqual(await crossed.during(300), []);
    theirs.close();
    crossed.close();
    const selector = "fieldSelector=metadata.namespace%3Dyours";
    const listed = await server.request("GET", `${namespaces}/mine/configmaps?${selector}`);
    assert.deepEqual(pickList(listed.json, "items"), []);
  });
});
