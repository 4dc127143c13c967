// A program for child.test.ts: says hello, then leaves or stays until it is asked to end.
import { execFileSync } from "node:child_process";

console.log(`hello ${process.argv[2]}`);
console.error("a complaint");
if (process.argv[2] === "stay") {
  const timer = setInterval(() => undefined, 60_000);
  process.on("SIGTERM", () => {
    console.log("asked to end");
    clearInterval(timer);
  });
} else {
  console.log(`node ${execFileSync("node", ["--version"], { encoding: "utf8" }).trim()}`);
  process.exitCode = 3;
}
