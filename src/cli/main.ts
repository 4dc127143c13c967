// The command line. Each command is one file in commands/ that adds itself to the program; this
// file only names them, and turns what they throw into a message and an exit code.
import { Command } from "commander";
import { catalogue, isSetpointError } from "../kernel/errors.ts";
import { errorChain } from "../telemetry/log.ts";
import { addBackup } from "./commands/backup.ts";
import { addConnect } from "./commands/connect.ts";
import { addDoctor } from "./commands/doctor.ts";
import { addKeys } from "./commands/keys.ts";
import { addKubeconfig } from "./commands/kubeconfig.ts";
import { addOperations } from "./commands/operations.ts";
import { addPlan } from "./commands/plan.ts";
import { addReconcile } from "./commands/reconcile.ts";
import { addRestore } from "./commands/restore.ts";
import { addDev, addServe } from "./commands/serve.ts";
import { addTest } from "./commands/test.ts";
import { addVersion } from "./commands/version.ts";
import { addWhy } from "./commands/why.ts";

const program = new Command("setpoint")
  .description("Keeps what is at what was asked for.")
  .showHelpAfterError("(run with --help to see what is possible)")
  .showSuggestionAfterError();

const commands = [
  addServe,
  addDev,
  addKubeconfig,
  addWhy,
  addPlan,
  addReconcile,
  addOperations,
  addConnect,
  addBackup,
  addRestore,
  addDoctor,
  addKeys,
  addTest,
  addVersion,
];
for (const add of commands) add(program);

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(explain(error));
  process.exitCode = 1;
}

/** What went wrong, why, and what to do; a defect of ours shows its stack instead. */
function explain(error: unknown): string {
  if (!isSetpointError(error)) {
    return `setpoint: ${error instanceof Error ? error.stack : String(error)}\n`;
  }
  const causes = errorChain(error)
    .slice(1)
    .map((cause) => `  because: ${(cause as { message: string }).message}\n`);
  const action = `  try: ${error.suggestion ?? catalogue[error.code].action}\n`;
  return `setpoint: ${error.message} [${error.code}]\n${causes.join("")}${action}`;
}
