// A program for child.test.ts: says hello, then leaves or stays until it is asked to end.
import { execFileSync } from "node:child_process";

const [, , wish] = process.argv;
if (wish === "stay") {
  const timer = setInterval(() => undefined, 60_000);
  process.on("SIGTERM", () => {
    console.log("asked to end");
    clearInterval(timer);
  });
}
console.log(`hello ${wish}`);
console.error("a complaint");
if (wish !== "stay") {
  console.log(`node ${execFileSync("node", ["--version"], { encoding: "utf8" }).trim()}`);
  process.exitCode = 3;
}
