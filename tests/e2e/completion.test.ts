// The completion script of the real command line, in the real shell.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { startProgram } from "../peers/child.ts";

const scripts = new Map<string, string>();
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "setpoint-completion-"));
  for (const shell of ["bash", "zsh", "fish"]) {
    await using program = await startProgram("src/cli/main.ts", { args: ["completion", shell] });
    const { code } = await program.waitForExit();
    assert.equal(code, 0, program.stderr());
    scripts.set(shell, program.stdout());
  }
});

after(async () => await rm(folder, { recursive: true, force: true }));

/** What bash offers for the last word. */
function completed(...words: readonly string[]): readonly string[] {
  const show = String.raw`printf '%s\n' "${"${COMPREPLY[@]}"}"`;
  // The builtins that bash 3.2 of macOS does not have.
  const old = "enable -n mapfile readarray";
  const call = `COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _setpoint; ${show}`;
  const args = ["-c", `${old}\n${scripts.get("bash")}\n${call}`, "bash", "setpoint", ...words];
  const { status, stdout, stderr } = spawnSync("bash", ["--norc", ...args], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return stdout.split("\n").filter((line) => line !== "");
}

describe("completion in bash", () => {
  it("offers commands that begin with the word", () => {
    assert.deepEqual(completed("back"), ["backup"]);
    assert.ok(completed("").includes("serve"));
  });

  it("offers the commands of a group, and the options of a command", () => {
    assert.ok(completed("env", "cr").includes("create"));
    assert.ok(completed("serve", "--li").includes("--listen"));
    assert.ok(completed("serve", "--listen", "127.0.0.1:0", "--no-i").includes("--no-isolate"));
  });

  it("offers nothing for a word that no command begins with", () => {
    assert.deepEqual(completed("zzz"), []);
  });

  it("leaves the value of an option to the completion of files", () => {
    assert.deepEqual(completed("serve", "--data", ""), []);
  });
});

describe("completion in other shells", () => {
  for (const shell of ["bash", "zsh", "fish"]) {
    it(`is a script without a syntax error for ${shell}`, async (t) => {
      const script = scripts.get(shell) ?? "";
      assert.match(script, /setpoint/);
      const path = join(folder, shell);
      await writeFile(path, script);
      const { error, status, stderr } = spawnSync(shell, ["-n", path], { encoding: "utf8" });
      if (error !== undefined) return t.diagnostic(`NOT TESTED: ${shell} is not installed`);
      assert.equal(status, 0, stderr);
    });
  }
});

it("completion for an unknown shell is refused with the known ones", async () => {
  await using program = await startProgram("src/cli/main.ts", { args: ["completion", "tcsh"] });
  const { code } = await program.waitForExit();
  assert.equal(code, 1);
  assert.match(program.stderr(), /bash, zsh, fish/);
});
