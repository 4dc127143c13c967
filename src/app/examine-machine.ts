/** What the built-in modules need of this machine, for `setpoint doctor`. */
import type { BuiltInModule } from "../contract/module.ts";
import type { Finding } from "../contract/finding.ts";
import { systemTimers } from "../kernel/timers.ts";
import type { Sections } from "./config-sections.ts";
import { builtInModules } from "./modules.ts";
import { programsWith } from "./programs.ts";
import { sandboxWith } from "./sandbox.ts";

export async function examineMachine(
  sections: Sections,
  modules: readonly BuiltInModule[] = builtInModules,
): Promise<readonly Finding[]> {
  await using undo = new AsyncDisposableStack();
  const openSandbox = sandboxWith(programsWith(systemTimers, undo));
  const findings: Finding[] = [];
  for (const { examine, configuration } of modules) {
    const section = sections[configuration?.key ?? ""];
    // oxlint-disable-next-line no-await-in-loop -- findings have an order
    findings.push(...((await examine?.({ configuration: section, openSandbox })) ?? []));
  }
  return findings;
}
