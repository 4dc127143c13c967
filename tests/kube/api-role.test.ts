// A server with `--roles api` alone, on each store: it completes the deletions that need no module,
// and for the others it names the server that must.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { reconcilerFinalizer } from "../../src/kernel/engine-finalizers.ts";
import { findPostgres } from "../../tools/peers.ts";
import { startPostgres } from "../peers/postgres.ts";
import type { Postgres } from "../peers/postgres.ts";
import { waitUntil } from "../peers/wait.ts";
import { pick, pickList, pickText, startKubeServer } from "./server.ts";
import type { KubeServer } from "./server.ts";
import { writeTasksModule } from "./tasks.ts";

const maps = "/api/v1/namespaces/default/configmaps";

function map(name: string, metadata: object = {}): object {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...metadata } };
}

for (const kind of ["SQLite", "PostgreSQL"] as const) {
  const skip = kind === "PostgreSQL" && findPostgres() === undefined;
  describe(`a server without workers (${kind})`, { skip }, () => {
    let postgres: Postgres | undefined;
    let server: KubeServer;
    let folder = "";

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), "setpoint-api-role-"));
      if (kind === "PostgreSQL") postgres = await startPostgres();
      const store = postgres === undefined ? {} : { store: postgres.url() };
      const module = [await writeTasksModule(folder)];
      server = await startKubeServer({ ...store, module, roles: "api" });
    });

    after(async () => {
      await server.stop();
      await postgres?.[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
      assert.deepEqual(server.errors, []);
    });

    const make = async (path: string, body: object): Promise<string> => {
      const reply = await server.request("POST", path, body);
      assert.equal(reply.status, 201, reply.text);
      return pickText(reply.json, "metadata.uid");
    };
    const untilDeleted = async (path: string): Promise<void> => {
      await waitUntil(`${path} to be deleted`, async () => {
        return (await server.request("GET", path)).status === 404;
      });
    };
    const makeNamespace = async (name: string): Promise<void> => {
      const metadata = { name };
      await make("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata });
    };

    it("makes the default account of a namespace, and deletes it with all content", async () => {
      await makeNamespace("full");
      const account = "/api/v1/namespaces/full/serviceaccounts/default";
      await waitUntil("the default account", async () => {
        return (await server.request("GET", account)).status === 200;
      });
      for (const name of ["a", "b"]) await make("/api/v1/namespaces/full/configmaps", map(name));
      await server.request("DELETE", "/api/v1/namespaces/full");
      await untilDeleted("/api/v1/namespaces/full");
    });

    it("deletes a definition with its resources", async () => {
      const schema = { openAPIV3Schema: { type: "object" } };
      const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
      await make(definitions, {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        metadata: { name: "notes.tests.dev" },
        spec: {
          group: "tests.dev",
          scope: "Namespaced",
          names: { plural: "notes", kind: "Note" },
          versions: [{ name: "v1", served: true, storage: true, schema }],
        },
      });
      const note = { apiVersion: "tests.dev/v1", kind: "Note", metadata: { name: "a" } };
      await make("/apis/tests.dev/v1/namespaces/default/notes", note);
      await server.request("DELETE", `${definitions}/notes.tests.dev`);
      await untilDeleted(`${definitions}/notes.tests.dev`);
    });

    it("collects what has lost its owner", async () => {
      const uid = await make(maps, map("owner"));
      const reference = { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid };
      await make(maps, map("child", { ownerReferences: [reference] }));
      await server.request("DELETE", `${maps}/owner?propagationPolicy=Foreground`);
      await untilDeleted(`${maps}/child`);
      await untilDeleted(`${maps}/owner`);
    });

    it("names the server that must complete a removal which needs a module", async () => {
      await makeNamespace("held");
      const tasks = "/apis/tasks.tests.dev/v1/namespaces/held/tasks";
      const metadata = { name: "made", finalizers: [reconcilerFinalizer] };
      const spec = { does: "well" };
      await make(tasks, { apiVersion: "tasks.tests.dev/v1", kind: "Task", metadata, spec });
      await server.request("DELETE", "/api/v1/namespaces/held");
      const held = `Some content in the namespace has finalizers remaining: ${reconcilerFinalizer}`;
      await waitUntil("the namespace to report what holds it", async () => {
        const found = await server.request("GET", "/api/v1/namespaces/held");
        return found.text.includes(held);
      });
      const { json } = await server.request("GET", `${tasks}/made/why`);
      const who = "a server with the role worker and the module of tasks.tasks.tests.dev";
      const details = pickList(json, "resource.details");
      assert.ok(details.includes(`${who} must complete the removal`), JSON.stringify(json));
      const space = await server.request("GET", "/api/v1/namespaces/held/why");
      assert.ok(space.text.includes(`${who} must complete the removal`), space.text);
    });

    it("shows that it has no workers, and what it does for its own kinds", async () => {
      const { json } = await server.request("GET", "/operations?kind=namespaces");
      assert.equal(pick(json, "server.worker"), false);
      assert.equal(pick(json, "queues.0.workers"), "here");
    });
  });
}
