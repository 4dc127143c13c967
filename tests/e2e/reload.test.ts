// `setpoint dev` reads a module again when it, or a file that it imports, is edited. A broken edit
// leaves the code from before running.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { startProgram } from "../peers/child.ts";
import { openKubectl, kubectlPaths } from "../peers/kubectl.ts";
import { waitUntil } from "../peers/wait.ts";

let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "setpoint-reload-"));
});
after(async () => await rm(folder, { recursive: true, force: true }));

const source = `
  import { defineModule, describeKind, done } from "setpoint";
  import { words } from "./words.ts";
  const kind = describeKind({
    apiVersion: "tests.dev/v1", kind: "Sign", plural: "signs", spec: { type: "object" },
    status: { type: "object", properties: { words: { type: "string" } } },
  });
  const reconcile = async () => done({ status: { words: words + "!" } });
  export default defineModule({ name: "signs", kinds: [{ kind, reconciler: { reconcile } }] });`;

for (const mode of ["--no-isolate", "--isolate"]) {
  it(`an edited module is used at once by dev ${mode}, and a broken edit is not`, async () => {
    await editModule(mode);
  });
}

async function editModule(mode: string): Promise<void> {
  const place = join(folder, mode);
  await mkdir(place);
  const file = join(place, "signs.ts");
  const words = join(place, "words.ts");
  await writeFile(words, 'export const words = "one";');
  await writeFile(file, source);
  const data = join(place, "data");
  const args = ["dev", mode, "--listen", "127.0.0.1:0", "--data", data, "--module", file];
  await using program = await startProgram("src/cli/main.ts", { args });
  await program.waitForLine(/ready on https:\/\/(\S+)$/, { limitMs: 120_000 });
  const [path = ""] = kubectlPaths();
  await using kubectl = await openKubectl(path, join(data, "kubeconfig"));
  const sign = { apiVersion: "tests.dev/v1", kind: "Sign", metadata: { name: "a" }, spec: {} };
  await kubectl.ok(["create", "-f", "-"], { input: sign });
  const watch = kubectl.follow(["get", "signs", "-w", "-o", "jsonpath={.status.words}{'\\n'}"]);
  const shows = async (text: string): Promise<void> => {
    await waitUntil(`the words ${text}`, async () => {
      const read = ["get", "sign/a", "-o", "jsonpath={.status.words}"];
      return (await kubectl.ok(read)) === text;
    });
  };
  await shows("one!");
  await writeFile(words, 'export const words = "two, from an import";');
  await shows("two, from an import!");
  await waitUntil("the report", () => / INFO +module reloaded/.test(program.stderr()));
  await writeFile(file, `${source}\nconst broken = ];`);
  await waitUntil("the error", () => program.stderr().includes("module not reloaded"));
  assert.match(program.stderr(), /signs\.ts cannot be loaded \(line \d+\)/);
  assert.match(program.stderr(), /module not reloaded.* try=/);
  await kubectl.ok(["create", "-f", "-"], { input: { ...sign, metadata: { name: "b" } } });
  await kubectl.ok(["wait", "--for=condition=Ready", "sign/b", "--timeout=60s"]);
  await writeFile(file, source.replace('"!"', '"?"'));
  await shows("two, from an import?");
  await watch.waitFor(/two, from an import\?/);
  await watch[Symbol.asyncDispose]();
}
