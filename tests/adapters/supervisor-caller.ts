// A server for supervisor.test.ts: `node supervisor-caller.ts FOLDER TASK UNTIL_MS`. It starts a
// program, reports that with a line, and then waits, or detaches and exits.
import { openSupervisors } from "../../src/adapters/supervisor/open-supervisors.ts";
import { systemTimers as timers } from "../../src/kernel/timers.ts";
import { waitUntil } from "../peers/wait.ts";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

const [folder = "", task = "", until = ""] = process.argv.slice(2);
const supervisors = await openSupervisors({ timers, beatMs: 1_000 });
const supervisor = await supervisors.start(folder);
const seconds = task === "detach" ? 2 : 600;
const running = supervisor.run({
  id: "one",
  program: "/bin/sh",
  args: ["-c", `echo $$; exec sleep ${seconds}`],
  env: { PATH: "/usr/bin:/bin" },
  folder,
  timeoutMs: 600_000,
  graceMs: 1_000,
  maxOutputBytes: 1_000_000,
});
const hasBegun = async (): Promise<boolean> =>
  (await readFile(join(folder, "one.stdout"), "utf8").catch(() => "")) !== "";
await waitUntil("the program to begin", hasBegun);
console.log("running");
if (task === "run") await running;
else {
  await supervisor.detach(Number(until));
  process.exit(0);
}
