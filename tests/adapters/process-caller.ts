// A process that runs the shell script in its argument through the process adapter, and prints each
// line of its output. Tests kill it.
import { openProcessRunner } from "../../src/adapters/process/runner.ts";
import { systemTimers } from "../../src/kernel/timers.ts";

const [, , script = ""] = process.argv;
const runner = openProcessRunner({ timers: systemTimers, graceMs: 200 });
await runner.run({
  program: "/bin/sh",
  args: ["-c", script],
  folder: "/",
  limits: { timeoutMs: 600_000, maxOutputBytes: 65_536 },
  onLine: ({ text }) => console.log(text),
});
