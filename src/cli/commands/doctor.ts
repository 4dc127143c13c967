// `setpoint doctor`: what is wrong with this installation, and what to do. Exit code 1 when bad.
import { styleText } from "node:util";
import type { Command } from "commander";
import { diagnose } from "../../app/doctor.ts";
import { sectionsIn } from "../../app/config.ts";
import { engineConfig } from "../../app/engine-config.ts";
import type { EngineOptions } from "../../app/engine-config.ts";
import type { Finding } from "../../contract/finding.ts";
import { examineMachine } from "../../app/examine-machine.ts";
import { moduleOption } from "../module-option.ts";
import { addStoreOptions, configuredBy, storeConfigOf } from "../store-options.ts";
import type { StoreFlags } from "../store-options.ts";

const marks = {
  ok: styleText("green", "ok  "),
  warn: styleText("yellow", "warn"),
  bad: styleText("red", "bad "),
} as const satisfies Record<Finding["level"], string>;

type Flags = StoreFlags & Pick<EngineOptions, "module">;

export function addDoctor(program: Command): void {
  addStoreOptions(program.command("doctor"))
    .description("check the installation, the stored data and modules without changing them")
    .addOption(moduleOption())
    .action(async (flags: Flags, command: Command) => {
      const { modules } = configuredBy(flags, command, engineConfig);
      const machine = await examineMachine(configuredBy(flags, command, sectionsIn));
      const findings = await diagnose(storeConfigOf(flags, command), { modules, machine });
      for (const { level, subject, message, suggestion } of findings) {
        console.log(`${marks[level]}  ${subject.padEnd(11)}${message}`);
        if (suggestion !== undefined) console.log(`${" ".repeat(17)}-> ${suggestion}`);
      }
      if (findings.some(({ level }) => level === "bad")) process.exitCode = 1;
    });
}
