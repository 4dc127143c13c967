// `npm start` in an empty folder: the link opens the console, and each printed command works.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { root } from "../../tools/stages.ts";
import { openTab, seriousFindings, startChromium } from "../peers/chromium.ts";
import { startProgram } from "../peers/child.ts";
import type { Program } from "../peers/child.ts";
import { newcomer } from "./newcomer.ts";
import type { Newcomer } from "./newcomer.ts";
import type { Typed } from "./page.ts";

const limitMs = 120_000;
const own = ["--listen", "127.0.0.1:0"];

/** The command of `npm start`, without npm, and with a free port. */
async function npmStart(
  cwd: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Program> {
  const { scripts } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
    readonly scripts: { readonly start: string };
  };
  const [, program, ...words] = scripts.start.split(" ");
  assert.equal(program, "bin/setpoint");
  return await startProgram("src/cli/main.ts", { cwd, args: [...words, ...own, ...args], env });
}

/** The commands that the server printed. */
async function triesOf(server: Program): Promise<readonly string[]> {
  await server.waitForLine(/^ {11}5\. /, { limitMs });
  const lines = server.stdout().split("\n");
  return lines.flatMap((line, index) => {
    const isTitle = /^ {11}\d\. /.test(line);
    return isTitle ? [lines[index + 1]?.trim() ?? ""] : [];
  });
}

function typed(kind: Typed["kind"], command: string, ...printed: readonly string[]): Typed {
  return { kind, command, printed };
}

/** What each printed command prints, and what it changes. */
function stepsFor([why = "", repair = "", add = "", merge = "", scale = ""]: readonly string[]) {
  const replicas =
    "kubectl get environment staging -n demo -o jsonpath='{.spec.parameters.replicas}'";
  const capacity = "kubectl get scaleset web -n demo -o jsonpath='{.status.observed.sku.capacity}'";
  return [
    typed("soon", why, "...", "...RequestRefused: ... answered PUT with status 422...", "..."),
    typed("run", repair, "...", "preview-search: Deployed - OK"),
    typed("run", add, "dinosaur.dinosaurs.example.dev/rex created"),
    typed("run", merge),
    typed("run", scale, "scaleset.machines.example/web patched"),
    typed(
      "soon",
      "kubectl get dinosaur rex -n org-13640203 -o jsonpath='{.status.phase}'",
      "ready",
    ),
    typed("soon", replicas, "3"),
    typed("soon", capacity, "5"),
  ];
}

describe("npm start", () => {
  let user: Newcomer;
  before(async () => {
    user = await newcomer();
  });
  after(async () => await user[Symbol.asyncDispose]());
  const kubeconfig = (): Typed =>
    typed("run", `export KUBECONFIG=${join(user.home, "setpoint-data", "kubeconfig")}`);

  it("each of the five things to try works when it is pasted", { timeout: 300_000 }, async () => {
    await using server = await npmStart(user.home);
    await user.play([kubeconfig(), ...stepsFor(await triesOf(server))]);
  });

  it("the link opens the console, signed in, without a warning", { timeout: 300_000 }, async () => {
    await using server = await npmStart(user.home);
    const [, link = ""] = await server.waitForLine(/^ {2}open {5}(http:\/\/127\.0\.0\.1:\S+)$/);
    assert.equal(server.stdout().match(/console\/link/g)?.length, 1);
    await using browser = await startChromium();
    await using tab = await openTab(browser);
    await tab.page.goto(link);
    await tab.page.getByRole("heading", { level: 1 }).first().waitFor();
    assert.equal(new URL(tab.page.url()).pathname, "/console/");
    await triesOf(server);
    await tab.page.goto(new URL("/console/environments/demo/preview-cart", link).href);
    await tab.page.getByText("5 of 5 resources ready").first().waitFor();
    await tab.page.locator("[data-node='preview-cart.app']").waitFor();
    assert.deepEqual(await seriousFindings(tab.page), []);
    assert.deepEqual([...tab.origins], [new URL(link).origin]);
    assert.deepEqual(tab.errors, []);
  });

  it("a second start keeps the data and the services", { timeout: 300_000 }, async () => {
    await using server = await npmStart(user.home);
    assert.equal((await triesOf(server)).length, 5);
    const health = "kubectl get environments -n demo -o jsonpath='{.items[*].status.statusText}'";
    const capacity = "kubectl get scaleset web -n demo -o jsonpath='{.spec.sku.capacity}'";
    const state = join(user.home, "setpoint-data", "demo", "deployer.json");
    await user.play([
      typed("run", capacity, "5"),
      typed("soon", health, "Deployed - OK Deployed - OK Deployed - OK"),
      typed("run", `grep -c '"staging"' ${state}`, "1"),
    ]);
  });
});

describe("the demo", () => {
  let user: Newcomer;
  before(async () => {
    user = await newcomer();
  });
  after(async () => await user[Symbol.asyncDispose]());

  it("--empty starts without it, and it never joins other data", { timeout: 300_000 }, async () => {
    {
      await using empty = await npmStart(user.home, ["--empty"]);
      await empty.waitForLine(/^ {2}stop /);
      const names = "kubectl get namespaces demo";
      const file = `export KUBECONFIG=${join(user.home, "setpoint-data", "kubeconfig")}`;
      const missing = 'Error from server (NotFound): namespaces "demo" not found';
      await user.play([typed("run", file), typed("run", names, missing)]);
      assert.doesNotMatch(empty.stdout(), /^ {2}(?:try|demo)/m);
    }
    await using server = await npmStart(user.home);
    await server.waitForLine(/^ {2}demo {5}\S+ has other data; add --data NEW-FOLDER for a demo$/);
    assert.doesNotMatch(server.stdout(), /^ {2}try/m);
  });

  it("a damaged state file is named and repaired", { timeout: 300_000 }, async () => {
    const args = ["--data", "damaged"];
    const file = join(user.home, "damaged", "demo", "state.json");
    {
      await using first = await npmStart(user.home, args);
      await triesOf(first);
    }
    const state = await readFile(file, "utf8");
    for (const content of ["", '{"isInstalled":tr', "[]"]) {
      await writeFile(file, content);
      await using server = await npmStart(user.home, args);
      await server.waitForLine(/^ {2}demo {5}\S+state\.json is damaged: its copy is used$/);
      assert.equal((await triesOf(server)).length, 5);
      assert.equal(await readFile(file, "utf8"), state);
    }
    await writeFile(file, "");
    await writeFile(`${file}.copy`, "");
    await using server = await npmStart(user.home, args);
    await server.waitForLine(/^ {2}demo {5}\S+state\.json is damaged: .* installed again/);
  });

  it("a start that was killed is completed by the next one", { timeout: 300_000 }, async () => {
    const args = ["--data", "killed"];
    {
      await using first = await npmStart(user.home, args);
      await first.waitForLine(/^ {2}stop /, { limitMs });
      await first.kill9();
      assert.doesNotMatch(first.stdout(), /^ {2}try/m);
    }
    await using server = await npmStart(user.home, args);
    const [why = ""] = await triesOf(server);
    const file = `export KUBECONFIG=${join(user.home, "killed", "kubeconfig")}`;
    await user.play([
      typed("run", file),
      typed("soon", why, "...", "...RequestRefused: ...", "..."),
    ]);
  });

  it("without git, it has no repository and says so", { timeout: 300_000 }, async () => {
    const env = { PATH: join(user.home, "no-programs") };
    await using server = await npmStart(user.home, ["--data", "without-git"], env);
    await server.waitForLine(/^ {2}demo {5}there is no git on this machine/);
    await server.waitForLine(/^ {11}4\. /, { limitMs });
    assert.doesNotMatch(server.stdout(), /git -C/);
  });

  it("`serve` has no demo", async () => {
    await using server = await startProgram("src/cli/main.ts", {
      cwd: user.home,
      args: ["serve", "--demo"],
    });
    await server.waitForExit({ limitMs });
    assert.match(server.stderr(), /unknown option '--demo'/);
  });
});
