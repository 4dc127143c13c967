// `setpoint doctor`: what is wrong with this installation, and what to do. Exit code 1 when bad.
import type { Command } from "commander";
import { diagnose } from "../../app/doctor.ts";
import { sectionsIn } from "../../app/config.ts";
import { engineConfig } from "../../app/engine-config.ts";
import type { EngineOptions } from "../../app/engine-config.ts";
import { examineMachine } from "../../app/examine-machine.ts";
import { moduleOption } from "../module-option.ts";
import { printFindings } from "../print-findings.ts";
import { addStoreOptions, configuredBy, storeConfigOf } from "../store-options.ts";
import type { StoreFlags } from "../store-options.ts";

type Flags = StoreFlags & Pick<EngineOptions, "module">;

export function addDoctor(program: Command): void {
  addStoreOptions(program.command("doctor"))
    .description("check the installation, the stored data and modules without changing them")
    .addOption(moduleOption())
    .action(async (flags: Flags, command: Command) => {
      const { modules } = configuredBy(flags, command, engineConfig);
      const machine = await examineMachine(configuredBy(flags, command, sectionsIn));
      printFindings(await diagnose(storeConfigOf(flags, command), { modules, machine }));
    });
}
