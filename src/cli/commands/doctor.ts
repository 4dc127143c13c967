// `setpoint doctor`: what is wrong with this installation, and what to do. Exit code 1 when bad.
import { styleText } from "node:util";
import type { Command } from "commander";
import { diagnose } from "../../app/doctor.ts";
import type { Finding } from "../../app/doctor.ts";
import { addStoreOptions, storeConfigOf } from "../store-options.ts";
import type { StoreFlags } from "../store-options.ts";

const marks = {
  ok: styleText("green", "ok  "),
  warn: styleText("yellow", "warn"),
  bad: styleText("red", "bad "),
} as const satisfies Record<Finding["level"], string>;

export function addDoctor(program: Command): void {
  addStoreOptions(program.command("doctor"))
    .description("check the installation and the stored data without changing them")
    .action(async (flags: StoreFlags, command: Command) => {
      const findings = await diagnose(storeConfigOf(flags, command));
      for (const { level, subject, message, suggestion } of findings) {
        console.log(`${marks[level]}  ${subject.padEnd(11)}${message}`);
        if (suggestion !== undefined) console.log(`${" ".repeat(17)}-> ${suggestion}`);
      }
      if (findings.some(({ level }) => level === "bad")) process.exitCode = 1;
    });
}
