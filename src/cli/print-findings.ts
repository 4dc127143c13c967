// Findings for people: one line for each, and what to do below it. A bad one makes the exit code 1.
import { styleText } from "node:util";
import type { Finding } from "../contract/finding.ts";

const marks = {
  ok: styleText("green", "ok  "),
  warn: styleText("yellow", "warn"),
  bad: styleText("red", "bad "),
} as const satisfies Record<Finding["level"], string>;

export function printFindings(findings: readonly Finding[]): void {
  for (const { level, subject, message, suggestion } of findings) {
    console.log(`${marks[level]}  ${subject.padEnd(11)}${message}`);
    if (suggestion !== undefined) console.log(`${" ".repeat(17)}-> ${suggestion}`);
  }
  if (findings.some(({ level }) => level === "bad")) process.exitCode = 1;
}
