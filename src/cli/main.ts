// The command line. Each command is one file in commands/ that adds itself to the program; this
// file only names them, and turns what they throw into a message and an exit code.
import { Command } from "commander";
import { typedError } from "../app/typed-error.ts";
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
import { explain } from "./explain-error.ts";

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
  process.stderr.write(explain(typedError(error)));
  process.exitCode = 1;
}
