// The engine in a real server: the greeting example with kubectl, a crash in the middle of a long
// operation, processes of different roles.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { root } from "../../tools/stages.ts";
import { claimsLost, withoutLost } from "../peers/claims-lost.ts";
import { kubectlPaths, openKubectl } from "../peers/kubectl.ts";
import type { Kubectl } from "../peers/kubectl.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";

const example = join(root, "examples/greeting");
const greetings = "/apis/examples.setpoint.dev/v1/namespaces/default/greetings";
const configMaps = "/api/v1/namespaces/default/configmaps";

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly observedGeneration?: number;
}

interface Seen {
  readonly metadata: { readonly generation: number; readonly finalizers?: readonly string[] };
  readonly data?: Readonly<Record<string, string>>;
  readonly status?: {
    readonly text?: string;
    readonly conditions?: readonly Condition[];
    readonly reconcile?: { readonly handledRequest?: string };
  };
}

let folder = "";

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "setpoint-engine-"));
});

after(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function read(server: Setpoint, path: string): Promise<Seen | undefined> {
  const { status, body } = await server.ask(path);
  return status === 404 ? undefined : (JSON.parse(body.toString()) as Seen);
}

function isReady(seen: Seen | undefined): boolean {
  const ready = seen?.status?.conditions?.find(({ type }) => type === "Ready");
  return ready?.status === "True" && ready.observedGeneration === seen?.metadata.generation;
}

async function settled(server: Setpoint, path: string): Promise<void> {
  await waitUntil(`${path} to be ready`, async () => isReady(await read(server, path)));
}

describe("a greeting", () => {
  let server: Setpoint;
  let kubectl: Kubectl;

  before(async () => {
    server = await startSetpoint({ args: ["--module", join(example, "greeting.ts")] });
    const [path = ""] = kubectlPaths();
    kubectl = await openKubectl(path, server.kubeconfig);
  });

  after(async () => {
    await kubectl[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  const textIs = async (text: string): Promise<void> => {
    const child = `${configMaps}/greeting-hello`;
    const isText = async (): Promise<boolean> =>
      (await read(server, child))?.data?.["text"] === text;
    await waitUntil(`the text ${text}`, isText);
  };

  it("is ready within a second of its creation", async () => {
    await kubectl.ok(["apply", "-f", join(example, "hello.yaml")]);
    await settled(server, `${greetings}/hello`);
    await textIs("Good morning, world!");
    // Work is looked for every 30 s without being told of it: were it found like that, not all of
    // several would be in time. The quickest of them shows how long it takes on a machine at rest.
    // A machine that is never at rest gets more tries.
    const tookMs: number[] = [];
    const names = Array.from({ length: 30 }, (_, index) => `one-of-many-${index}`);
    for (const name of names) {
      if (tookMs.length >= 5 && Math.min(...tookMs) <= 1_000) break;
      const startMs = performance.now();
      const greeting = { apiVersion: "examples.setpoint.dev/v1", kind: "Greeting" };
      const input = { ...greeting, metadata: { name }, spec: { whom: name } };
      await server.ask(greetings, { method: "POST", body: input });
      await settled(server, `${greetings}/${name}`);
      tookMs.push(performance.now() - startMs);
    }
    assert.ok(Math.min(...tookMs) <= 1_000, tookMs.join(" ms, "));
    const shown = await kubectl.ok(["get", "greetings"]);
    assert.match(shown, /hello\s+Good morning, world!\s+True/);
    await kubectl.ok(["wait", "--for=condition=Ready", "greeting/hello", "--timeout=100s"]);
  });

  it("follows its spec", async () => {
    const patch = JSON.stringify({ spec: { whom: "moon" } });
    await kubectl.ok(["patch", "greeting", "hello", "--type=merge", "-p", patch]);
    await textIs("Good morning, moon!");
    await settled(server, `${greetings}/hello`);
  });

  it("makes its child again when somebody deletes or changes it", async () => {
    await kubectl.ok(["delete", "configmap", "greeting-hello"]);
    await textIs("Good morning, moon!");
    const patch = JSON.stringify({ data: { text: "Nonsense" } });
    await kubectl.ok(["patch", "configmap", "greeting-hello", "--type=merge", "-p", patch]);
    await textIs("Good morning, moon!");
  });

  it("follows what it refers to, also when that is not there for a while", async () => {
    const patch = JSON.stringify({ data: { salutation: "Good evening" } });
    await kubectl.ok(["patch", "configmap", "salutation", "--type=merge", "-p", patch]);
    await textIs("Good evening, moon!");
    await kubectl.ok(["delete", "configmap", "salutation"]);
    const waits = async (): Promise<boolean> => !isReady(await read(server, `${greetings}/hello`));
    await waitUntil("it to wait", waits);
    await kubectl.ok(["create", "configmap", "salutation", "--from-literal=salutation=Ahoy"]);
    await textIs("Ahoy, moon!");
    await settled(server, `${greetings}/hello`);
  });

  it("rests while it is paused, and goes on afterwards", async () => {
    await kubectl.ok(["annotate", "greeting", "hello", "setpoint.dev/paused=true"]);
    const patch = JSON.stringify({ spec: { whom: "sun" } });
    await kubectl.ok(["patch", "greeting", "hello", "--type=merge", "-p", patch]);
    await delay(300);
    const child = await read(server, `${configMaps}/greeting-hello`);
    assert.equal(child?.data?.["text"], "Ahoy, moon!");
    await kubectl.ok(["annotate", "greeting", "hello", "setpoint.dev/paused-"]);
    await textIs("Ahoy, sun!");
  });

  it("only looks while its policy is skip", async () => {
    await kubectl.ok(["annotate", "greeting", "hello", "setpoint.dev/policy=skip"]);
    const patch = JSON.stringify({ spec: { whom: "mars" } });
    await kubectl.ok(["patch", "greeting", "hello", "--type=merge", "-p", patch]);
    await delay(300);
    const child = await read(server, `${configMaps}/greeting-hello`);
    assert.equal(child?.data?.["text"], "Ahoy, sun!");
    await kubectl.ok(["annotate", "greeting", "hello", "setpoint.dev/policy-"]);
    await textIs("Ahoy, mars!");
  });

  it("echoes a request once it has been dealt with", async () => {
    await kubectl.ok(["annotate", "greeting", "hello", "setpoint.dev/reconcile=please-1"]);
    await waitUntil("the echo", async () => {
      const seen = await read(server, `${greetings}/hello`);
      return seen?.status?.reconcile?.handledRequest === "please-1";
    });
  });

  it("goes with its child, and is held while it is protected", async () => {
    const protection = "setpoint.dev/deletion-protection";
    await kubectl.ok(["annotate", "greeting", "hello", `${protection}=true`]);
    const why = await kubectl.refused(["delete", "greeting", "hello"]);
    assert.match(why, /protected from deletion/);
    await kubectl.ok(["annotate", "greeting", "hello", `${protection}-`]);
    await kubectl.ok(["delete", "greeting", "hello", "--timeout=100s"]);
    assert.equal(await read(server, `${greetings}/hello`), undefined);
    const child = `${configMaps}/greeting-hello`;
    await waitUntil("the child to go", async () => (await read(server, child)) === undefined);
    await waitUntil("the event", async () => {
      const events = await kubectl.ok(["get", "events", "--field-selector=reason=Farewell"]);
      return events.includes("mars is no longer greeted");
    });
  });
});

/** Writes a line for each step; the second takes as long as the test wants. */
const slowModule = `
import { appendFileSync, existsSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { defineModule, describeKind, done } from "setpoint";

const texts = { type: "object", properties: { log: { type: "string" }, gate: { type: "string" } } };
const kind = describeKind({
  apiVersion: "tests.setpoint.dev/v1", kind: "Slow", plural: "slows", spec: texts,
});

async function reconcile(resource, context) {
  const { log, gate } = resource.spec;
  const write = (line) => appendFileSync(log, line + "\\n");
  await context.perform({
    name: "build",
    steps: [
      { name: "first", run: async () => { write("first"); return "made"; } },
      { name: "second", run: async (results) => {
        write("second after " + results.first);
        while (!existsSync(gate)) await setTimeout(20, undefined, { signal: context.signal });
      } },
      { name: "third", run: async () => { write("third"); } },
    ],
  });
  return done();
}

export default defineModule({ name: "slow", kinds: [{ kind, reconciler: { reconcile } }] });
`;

interface Operation extends AsyncDisposable {
  readonly server: Setpoint;
  readonly path: string;
  readonly lines: () => Promise<string>;
  readonly openGate: () => Promise<void>;
}

describe("a long operation", () => {
  const begin = async (lease: string): Promise<Operation> => {
    const own = await mkdtemp(join(folder, "slow-"));
    await writeFile(join(own, "slow.ts"), slowModule);
    const config = join(own, "setpoint.yaml");
    await writeFile(config, `modules: [slow.ts]\nengine: { lease: ${lease}, grace: 1s }\n`);
    const server = await startSetpoint({ args: ["--config", config] });
    const [log, gate] = [join(own, "log"), join(own, "gate")];
    const path = "/apis/tests.setpoint.dev/v1/namespaces/default/slows";
    const body = {
      apiVersion: "tests.setpoint.dev/v1",
      kind: "Slow",
      metadata: { name: "one" },
      spec: { log, gate },
    };
    const { status, body: answer } = await server.ask(path, { method: "POST", body });
    assert.equal(status, 201, answer.toString());
    const lines = async (): Promise<string> => await readFile(log, "utf8").catch(() => "");
    await waitUntil("the second step", async () => (await lines()).includes("second"));
    const openGate = async (): Promise<void> => await writeFile(gate, "");
    const dispose = (): Promise<void> => server[Symbol.asyncDispose]();
    return { server, path: `${path}/one`, lines, openGate, [Symbol.asyncDispose]: dispose };
  };

  const goesOn = async (operation: Operation): Promise<void> => {
    const { server, path, lines, openGate } = operation;
    await server.start();
    const isAgain = async (): Promise<boolean> => (await lines()).split("second").length >= 3;
    await waitUntil("the second step again", isAgain, { limitMs: 120_000 });
    await openGate();
    await settled(server, path);
    const expected = ["first", "second after made", "second after made", "third", ""];
    const all = (await lines()).split("\n");
    assert.deepEqual(withoutLost(all, expected, await claimsLost(server)), expected, all.join());
  };

  it("goes on after a crash with the step that was not done", async () => {
    await using operation = await begin("6s");
    await operation.server.kill9();
    await goesOn(operation);
  });

  it("is handed back when the server stops, so that nobody waits for its lease", async () => {
    await using operation = await begin("10m");
    assert.equal(await operation.server.stop(), 0);
    await goesOn(operation);
  });
});

describe("roles", () => {
  it("let a process accept what another one does", async () => {
    const args = ["--module", join(example, "greeting.ts")];
    await using server = await startSetpoint({ args: [...args, "--roles", "api"] });
    const apiVersion = "examples.setpoint.dev/v1";
    const metadata = { name: "later" };
    const body = { apiVersion, kind: "Greeting", metadata, spec: { whom: "you" } };
    const { status } = await server.ask(greetings, { method: "POST", body });
    assert.equal(status, 201);
    await delay(300);
    assert.equal((await read(server, `${greetings}/later`))?.status, undefined);
    assert.equal(await server.stop(), 0);
    await server.start(args);
    await settled(server, `${greetings}/later`);
  });
});
