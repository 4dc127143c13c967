// The operations view of a server that works: what runs, what ran, what waits, and for whom.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { waitUntil } from "../peers/wait.ts";
import { created } from "./samples.ts";
import { pick, pickList, pickText, startKubeServer } from "./server.ts";
import type { KubeServer, RequestHeaders } from "./server.ts";
import { letGo, writeTasksModule } from "./tasks.ts";

let server: KubeServer;
let folder = "";
const group = "tasks.tests.dev";
const resource = `tasks.${group}`;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "setpoint-operations-"));
  server = await startKubeServer({ module: [await writeTasksModule(folder)] });
  for (const name of ["team", "other"]) {
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
    await created(server.request("POST", "/api/v1/namespaces", namespace));
  }
  await make("team", "well", "well");
  await make("team", "bad", "fail");
  await make("team", "slow", "hang");
  await make("other", "slow", "hang");
  await waitUntil("all of them to be dealt with", async () => {
    const found = await operations();
    const ended = names(pickList(found, "recent"));
    const isOver = ended.includes("team/well") && ended.includes("team/bad");
    const held = pickList(found, "queues.0.next").filter((item) => pick(item, "claim"));
    return isOver && held.length === 2 && pickList(found, "running").length === 2;
  });
});

after(async () => {
  letGo();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
  assert.deepEqual(server.errors, []);
});

async function make(namespace: string, name: string, does: string): Promise<void> {
  const metadata = { name };
  const task = { apiVersion: `${group}/v1`, kind: "Task", metadata, spec: { does } };
  const path = `/apis/${group}/v1/namespaces/${namespace}/tasks`;
  await created(server.request("POST", path, task));
}

async function operations(query = "", headers?: RequestHeaders): Promise<unknown> {
  const reply = await server.request("GET", `/operations${query}`, undefined, headers);
  assert.equal(reply.status, 200, reply.text);
  return reply.json;
}

function names(items: readonly unknown[]): readonly string[] {
  return items.map((item) => `${pickText(item, "namespace")}/${pickText(item, "name")}`).toSorted();
}

describe("operations", () => {
  it("tell what runs here, and since when", async () => {
    const found = await operations();
    assert.equal(pick(found, "kind"), "Operations");
    assert.equal(pick(found, "server.worker"), true);
    const running = pickList(found, "running");
    assert.deepEqual(names(running), ["other/slow", "team/slow"]);
    const [first] = running;
    assert.equal(pick(first, "kind"), "Task");
    assert.equal(pick(first, "resource"), resource);
    assert.equal(pick(first, "what"), "reconcile");
    assert.match(pickText(first, "startedAt"), /^\d{4}-/);
  });

  it("tell what ran lately, and how it ended", async () => {
    const recent = pickList(await operations(), "recent");
    const bad = recent.find((run) => pick(run, "name") === "bad");
    assert.equal(pick(bad, "outcome"), "failed");
    assert.equal(pick(bad, "reason"), "Broken");
    assert.equal(pick(bad, "message"), "it was told to fail");
    assert.equal(pick(bad, "attempt"), 1);
    const well = recent.find((run) => pick(run, "name") === "well");
    assert.equal(pick(well, "outcome"), "done");
    const ends = recent.map((run) => pickText(run, "endedAt"));
    assert.deepEqual(ends, ends.toSorted().toReversed(), "by their ends, the newest first");
    assert.match(ends[0] ?? "", /^\d{4}-/);
  });

  it("tell what waits in each queue, and who holds what", async () => {
    const found = await operations();
    const queues = pickList(found, "queues");
    assert.equal(pick(queues[0], "resource"), resource);
    assert.equal(pick(queues[0], "due"), 0);
    const next = pickList(queues[0], "next");
    const slow = next.find((item) => pick(item, "name") === "slow");
    assert.equal(pick(slow, "claim.owner"), pick(found, "server.name"));
    const bad = next.find((item) => pick(item, "name") === "bad");
    const dueInMs = Number(pick(bad, "dueInMs"));
    assert(dueInMs > 1_000 && dueInMs <= 90_000, `${dueInMs}`);
  });

  it("show what is paused, though no queue has it, and who works on a kind", async () => {
    const path = `/apis/${group}/v1/namespaces/team/tasks/well`;
    const set = async (paused: string | null): Promise<void> => {
      const patch = { metadata: { annotations: { "setpoint.dev/paused": paused } } };
      const type = { "content-type": "application/merge-patch+json" };
      assert.equal((await server.request("PATCH", path, patch, type)).status, 200);
    };
    await set("yes");
    const [queue] = pickList(await operations(), "queues");
    assert.deepEqual(names(pickList(queue, "paused")), ["team/well"]);
    assert.equal(pick(queue, "workers"), "here");
    assert.equal(pick(await operations("?namespace=other"), "queues.0.paused"), undefined);
    await set(null);
    assert.equal(pick(await operations(), "queues.0.paused"), undefined);
  });

  it("leave out empty queues, unless all or the kind are asked for", async () => {
    const shown = (found: unknown): readonly unknown[] =>
      pickList(found, "queues").map((queue) => pick(queue, "resource"));
    assert.deepEqual(shown(await operations()), [resource]);
    assert.deepEqual(shown(await operations("?namespace=none")), []);
    const all = shown(await operations("?all=true"));
    assert.ok(all.includes(resource) && all.includes("namespaces") && all.length > 3, String(all));
    const kind = String(all.find((each) => each !== resource));
    assert.deepEqual(shown(await operations(`?kind=${kind}`)), [kind]);
  });

  it("are counted at /metrics, all processes together", async () => {
    // A number, once the store has answered within a second.
    await waitUntil("the backlog to be counted", async () => {
      const { text } = await server.request("GET", "/metrics");
      assert.match(text, /^setpoint_reconciles_settling \d+$/m);
      const lines = ["due", "oldest_seconds"].map(
        (what) => `^setpoint_backlog_${what}\\{kind="${resource}"\\} \\d`,
      );
      return lines.every((line) => new RegExp(line, "m").test(text));
    });
  });

  it("can be those of one kind or namespace, and few", async () => {
    const other = await operations("?namespace=other");
    assert.deepEqual(names(pickList(other, "running")), ["other/slow"]);
    assert.deepEqual(pickList(other, "recent"), []);
    assert.deepEqual(names(pickList(other, "queues.0.next")), ["other/slow"]);
    const none = await operations("?kind=others.tests.dev");
    assert.deepEqual([pick(none, "running"), pick(none, "queues")], [[], []]);
    assert.equal(pickList(await operations("?limit=1"), "running").length, 1);
    const wrong = await server.request("GET", "/operations?limit=0");
    assert.equal(wrong.status, 400);
    assert.equal((await server.request("DELETE", "/operations")).status, 405);
  });

  it("are for who may get the path, and count what that one may not get", async () => {
    const user = { "impersonate-user": "operator" };
    const refused = await server.request("GET", "/operations", undefined, user);
    assert.equal(refused.status, 403);
    await permit("operator");
    const found = await operations("", user);
    assert.deepEqual(names(pickList(found, "running")), ["other/slow"]);
    assert.deepEqual(pickList(found, "recent"), []);
    assert.deepEqual(names(pickList(found, "queues.0.next")), ["other/slow"]);
    assert.equal(typeof pick(found, "hidden"), "number");
    assert(!JSON.stringify(found).includes("team"));
  });
});

/** The path, and the tasks of one namespace. */
async function permit(user: string): Promise<void> {
  const api = "/apis/rbac.authorization.k8s.io/v1";
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const apiGroup = "rbac.authorization.k8s.io";
  const subjects = [{ kind: "User", name: user, apiGroup }];
  const metadata = { name: user };
  const bind = async (kind: string, place: string, rule: object): Promise<void> => {
    const plural = `${api}/${place}${kind.toLowerCase()}`;
    const role = { apiVersion, kind, metadata, rules: [{ verbs: ["get"], ...rule }] };
    await created(server.request("POST", `${plural}s`, role));
    const roleRef = { apiGroup, kind, name: user };
    const binding = { apiVersion, kind: `${kind}Binding`, metadata, subjects, roleRef };
    await created(server.request("POST", `${plural}bindings`, binding));
  };
  await bind("ClusterRole", "", { nonResourceURLs: ["/operations"] });
  const tasks = { apiGroups: [group], resources: ["tasks"] };
  await bind("Role", "namespaces/other/", tasks);
}
